"""The statistics of a head: the name, unit and question of each, and the function that counts it.

To add a statistic, write a function from a `Window` to a `Count` and add a line to `STATISTICS`: tables, maps, clusters
and exports then have it, with its chance level.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from attn_core.measures import noise
from attn_core.measures import pair_properties as properties
from attn_core.measures.common_share import common_share
from attn_core.measures.pair_properties import concentration, length_share
from attn_core.measures.repetition import beyond_one_token
from attn_core.measures.tally import Count, MeasuredWindow, Tally
from attn_core.texts.passages import Passage

Unit = Literal["tokens", "share", "times", "ratio", "decibels"]
FORMATS: dict[Unit, str] = {"tokens": ".1f", "share": ".1%", "times": ".2f", "ratio": ".2f", "decibels": ".1f"}
EVEN = "even attention over what each query may see in the layer"


@dataclass(frozen=True)
class Statistic:
    """A column of the heads table; the column `chance_<name>` has its chance level.

    Attributes
    ----------
    name, label, unit, question: of the column; the question is what it answers.
    count: counts it in one window.
    derive: computes its values in every row of a tally, and its chance level, from other counts. The statistics of the
        anchor have neither function, because the anchor is found over all windows.
    feature: whether clustering uses it.
    distance_unit: the unit of distances.
    by_chance: a description of its chance level.
    of_pairs: whether it depends on strong pairs, and not on attention weights alone.
    signed: whether it may be negative.
    """

    name: str
    label: str
    unit: Unit
    question: str
    count: Callable[[MeasuredWindow], Count] | None = None
    derive: Callable[[Tally], tuple[np.ndarray, np.ndarray]] | None = None
    feature: bool = True
    distance_unit: str = "tokens"
    by_chance: str = "the same over all pairs of tokens"
    of_pairs: bool = True
    signed: bool = False

    def values(self, tally: Tally) -> np.ndarray:
        """The statistic in every row of a tally, (R, H)."""
        return self.derive(tally)[0] if self.derive else tally.values(self.name)

    def chance_level(self, tally: Tally) -> np.ndarray:
        """The chance level, (H,), (layers,) or (1,)."""
        return self.derive(tally)[1] if self.derive else tally.chance(self.name)

    @property
    def chance(self) -> str:
        return f"chance_{self.name}"

    @property
    def bounds(self) -> tuple[str, str]:
        """The columns of its 95 % interval in a study, (low, high)."""
        return f"{self.name}_low", f"{self.name}_high"

    @property
    def possible(self) -> tuple[float, float]:
        """The smallest and the largest possible value."""
        return -np.inf if self.signed else 0.0, 1.0 if self.unit == "share" else np.inf

    @property
    def only_above(self) -> bool:
        """Whether only values above chance are meaningful; distances and noise may also lie below."""
        return self.unit in ("share", "times")

    @property
    def format(self) -> str:
        """The number format, valid in d3 and in Python."""
        return FORMATS[self.unit]

    @property
    def axis_format(self) -> str:
        """The d3 number format for an axis, without trailing zeros."""
        return "~%" if self.unit == "share" else "~r"

    @property
    def axis_title(self) -> str:
        """The label, with the unit in brackets if it has one."""
        unit = {"tokens": self.distance_unit, "decibels": "decibels"}.get(self.unit)
        return f"{self.label} ({unit})" if unit else self.label

    def text(self, value: float) -> str:
        """A value with its unit, as text."""
        return f"{value:z{self.format}}" + {"tokens": f" {self.distance_unit}", "decibels": " dB"}.get(self.unit, "")

    def over(self, unit: str) -> "Statistic":
        """The same statistic with distances in another unit, such as words."""
        return replace(self, distance_unit=unit)


def attention_to(kind: Callable[[Passage], np.ndarray]) -> Callable[[MeasuredWindow], Count]:
    """The function that counts the attention weight on tokens of a kind, mean over the queries of all windows.

    Queries are all tokens, special ones included, even if pairs are of words. Chance: even attention over the tokens
    that a query may see in the layer, by its mask; in a causal layer, those up to the query itself.
    """

    def count(window: MeasuredWindow) -> Count:
        meant = kind(window.pairs.passage)
        weight = window.received[..., meant].sum(axis=-1, dtype=np.float64)
        even = window.output.even[:, None, meant].sum(axis=-1)
        return Count(weight * len(meant), even * len(meant), len(meant))

    return count


def attention_spread(window: MeasuredWindow) -> Count:
    """The effective number of tokens that receive attention, exp(entropy of the received attention), over all N tokens.

    Chance: the same for even attention over the tokens that a query may see in the layer.
    """
    tokens = len(window.pairs.passage)
    return Count(_effective_number(window.received), _effective_number(window.output.even)[:, None], tokens)


def _effective_number(received: np.ndarray) -> np.ndarray:
    """The exponential of the entropy of the shares of a total, (..., N) -> (...)."""
    shares = received / received.sum(axis=-1, keepdims=True, dtype=np.float64)
    return np.exp(-(shares * np.log(np.where(shares > 0, shares, 1.0))).sum(axis=-1))


STATISTICS = (
    Statistic(
        "mean_distance", "Mean distance", "tokens", "How far apart are the two tokens of its strong pairs?",
        properties.mean_of(properties.distance),
    ),
    Statistic(
        "same_sentence_share", "Same sentence", "share", "How many strong pairs lie inside one sentence?",
        properties.mean_of(properties.same_sentence),
    ),
    Statistic(
        "repetition_share", "Repetition", "share", "How many strong pairs are one token twice?",
        properties.mean_of(properties.repetition),
    ),
    Statistic(
        "other_repetition_share", "Repetition beyond one token", "share",
        "How many strong pairs are one token twice, without the token that the head repeats most in that window?",
        beyond_one_token, feature=False, by_chance="the same over all pairs of tokens, without the same token",
    ),
    Statistic(
        "near_share", "Neighbours", "share", "How many strong pairs are at most two tokens apart?",
        properties.mean_of(properties.near),
    ),
    Statistic(
        "nearby_share", "Nearby", "share", "How many strong pairs are 3 to 16 tokens apart?",
        properties.mean_of(properties.nearby),
    ),
    Statistic(
        "separator_share", "Separators", "share", "How many strong pairs touch [SEP] or the end of a sentence?",
        properties.mean_of(properties.separator),
    ),
    Statistic(
        "anchor_coverage", "Anchor coverage", "share", "How many strong pairs touch the head's anchor token?",
        by_chance="the same of the most common token over all pairs of tokens",
    ),
    Statistic(
        "concentration", "Concentration", "times", "How unevenly do the pairs use the tokens? 1 is even use.",
        concentration, by_chance="of as many pairs drawn at random",
    ),
    Statistic(
        "length_share", "Length", "share", "How many strong pairs are among as many of the longest vectors?",
        length_share, by_chance="the share of pairs that are strong",
    ),
    Statistic(
        "common_share", "Common share", "ratio",
        "How much of a strong pair's similarity has any pair? 1: strong pairs are no more alike than others.",
        derive=common_share, feature=False, by_chance="1", signed=True,
    ),
    Statistic(
        "noise_rate", "Noise", "ratio",
        "How often are tokens of unrelated texts as similar as its strong pairs? 1: text makes no difference.",
        derive=noise.noise_rate, by_chance="1",
    ),
    Statistic(
        "snr_db", "Signal to noise", "decibels",
        "How far do strong pairs stand out from unrelated tokens? 0: not at all.",
        derive=noise.signal_to_noise, feature=False, by_chance="0", signed=True,
    ),
    Statistic(
        "separator_attention", "Attention to separators", "share",
        "How much attention weight of all tokens, special ones too, goes to separator tokens?",
        attention_to(lambda passage: passage.is_separator), by_chance=EVEN, of_pairs=False,
    ),
    Statistic(
        "attention_spread", "Attention spread", "ratio",
        "Over how many tokens is attention spread, as a share of all tokens? 1: every token receives as much.",
        attention_spread, by_chance=EVEN, of_pairs=False,
    ),
)  # fmt: skip
LIKE_DISTANCE = Statistic(
    "like_distance_same_sentence_share", "Same sentence at like distance", "share",
    "How many pairs with the distances of the strong pairs lie inside one sentence?",
    properties.same_sentence_at_like_distance,
)  # fmt: skip
SEP_ATTENTION = Statistic(
    "sep_attention", "Attention to [SEP]", "share",
    "How much attention weight of all tokens, special ones too, goes to [SEP]?",
    attention_to(lambda passage: passage.is_separator & passage.is_special), by_chance=EVEN, of_pairs=False,
)  # fmt: skip
PUNCTUATION_ATTENTION = Statistic(
    "punctuation_attention", "Attention to punctuation", "share",
    "How much attention weight of all tokens, special ones too, goes to sentence ends?",
    attention_to(lambda passage: passage.is_separator & ~passage.is_special), by_chance=EVEN, of_pairs=False,
)  # fmt: skip
# Statistics of layers.
HEAD_OVERLAP = Statistic(
    "head_overlap", "Strong pairs in common", "share",
    "How many strong pairs do two heads of the layer have in common?", by_chance="the share of pairs that are strong",
)  # fmt: skip
NEAR_OVER_FAR = Statistic(
    "near_over_far", "Near over far", "ratio",
    f"How often is a pair at most {properties.NEARBY} tokens apart more alike than one farther apart?", by_chance="0.5",
)  # fmt: skip
# Shares of a layer's heads, see `head_shares`; they have no chance level.
ANCHOR_UNIQUENESS = Statistic(
    "anchor_uniqueness", "Distinct anchors", "share",
    "How many different anchors have the heads of the layer, over its heads?", by_chance="",
)  # fmt: skip
REPEATING = Statistic(
    "repeating_heads", "Repetition heads", "share",
    "How many heads of the layer repeat tokens, without the token that each repeats most?", by_chance="",
)  # fmt: skip
GATHERING = Statistic(
    "gathering_heads", "Common-token heads", "share",
    "How many heads have 5% of their pairs, beyond pairs of like distance, around an occurrence of their first token?",
    by_chance="",
)  # fmt: skip
ANCHORED = Statistic(
    "anchored_heads", "Heads with an anchor", "share",
    "How many heads have an anchor that touches 10% more of their pairs than the most common token does by chance?",
    by_chance="",
)  # fmt: skip
OF_HEADS = (ANCHOR_UNIQUENESS, REPEATING, GATHERING, ANCHORED)
TABLE_ONLY = (LIKE_DISTANCE, SEP_ATTENTION, PUNCTUATION_ATTENTION)
COUNTED = tuple(s for s in (*STATISTICS, *TABLE_ONLY) if s.count or s.derive)
BY_NAME = {
    statistic.name: statistic for statistic in (*STATISTICS, *TABLE_ONLY, HEAD_OVERLAP, NEAR_OVER_FAR, *OF_HEADS)
}
BY_LABEL = {statistic.label: statistic for statistic in STATISTICS}
# The columns of printed reports and of terminals.
MAIN = (
    "mean_distance", "same_sentence_share", "repetition_share", "anchor_coverage", "noise_rate", "separator_attention",
)  # fmt: skip


def statistic_columns(tally: Tally, statistics: Iterable[Statistic], heads: int) -> dict[str, np.ndarray]:
    """The columns of statistics and of their chance levels, (head,) each, from the counts of all heads."""
    columns = {}
    for one in statistics:
        columns[one.name], chance = one.values(tally)[0], one.chance_level(tally)
        columns[one.chance] = np.repeat(chance, heads // len(chance))
    return columns
