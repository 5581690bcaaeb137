"""The statistics of a head: name, unit, the question that each answers, and how one window counts it.

To add a statistic, write a function from a `Window` to a `Count` and a line in `STATISTICS`: it then stands in the tables
of a text and of a study, with its chance level and its interval, on the map, among the clusters' features and in the
exports.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from attn_core.measures import attention
from attn_core.measures import pair_properties as pairs
from attn_core.measures.concentration import concentration
from attn_core.measures.count import Count
from attn_core.measures.window import Window

Unit = Literal["tokens", "share", "times"]


@dataclass(frozen=True)
class Statistic:
    """A column of the heads table; its chance level is the column `chance_<name>`.

    count: what one window adds to it; None for what follows from the head's anchor, which all windows decide together.
    """

    name: str
    label: str
    unit: Unit
    question: str
    count: Callable[[Window], Count] | None = None

    @property
    def chance(self) -> str:
        return f"chance_{self.name}"

    @property
    def bounds(self) -> tuple[str, str]:
        """The columns of its 95 % interval, in the tables of a study."""
        return f"{self.name}_low", f"{self.name}_high"

    @property
    def format(self) -> str:
        """A d3 (and Streamlit) number format."""
        return {"tokens": ".0f", "share": ".1%", "times": ".1f"}[self.unit]

    @property
    def axis_format(self) -> str:
        """The same for an axis, where a few tokens must not read alike."""
        return "~r" if self.unit == "tokens" else self.format

    def text(self, value: float) -> str:
        """A value with its unit, for a sentence."""
        return {"tokens": f"{value:.0f} tokens", "share": f"{value:.0%}", "times": f"{value:.1f}"}[self.unit]


STATISTICS = (
    Statistic(
        "mean_distance", "Mean distance", "tokens", "How far apart are the two tokens of its strong pairs?",
        pairs.mean_of(pairs.distance),
    ),
    Statistic(
        "same_sentence_share", "Same sentence", "share", "How many strong pairs lie inside one sentence?",
        pairs.mean_of(pairs.same_sentence),
    ),
    Statistic(
        "repetition_share", "Repetition", "share", "How many strong pairs are one token twice?",
        pairs.mean_of(pairs.repetition),
    ),
    Statistic(
        "near_share", "Neighbours", "share", "How many strong pairs are at most two tokens apart?",
        pairs.mean_of(pairs.near),
    ),
    Statistic(
        "separator_share", "Separators", "share", "How many strong pairs touch [SEP] or the end of a sentence?",
        pairs.mean_of(pairs.separator),
    ),
    Statistic("anchor_coverage", "Anchor coverage", "share", "How many strong pairs touch the head's anchor token?"),
    Statistic(
        "anchor_context_share", "Anchor context", "share", "How many strong pairs lie at or around one anchor token?"
    ),
    Statistic(
        "concentration", "Concentration", "times", "How unevenly do the pairs use the tokens? 1 is even use.",
        concentration,
    ),
    Statistic(
        "separator_attention", "Attention to separators", "share",
        "How much attention weight goes to separator tokens?", attention.attention_to(attention.separators),
    ),
)  # fmt: skip
SEP_ATTENTION = Statistic(
    "sep_attention", "Attention to [SEP]", "share", "How much attention weight goes to [SEP]?",
    attention.attention_to(attention.special_separators),
)  # fmt: skip
PUNCTUATION_ATTENTION = Statistic(
    "punctuation_attention", "Attention to punctuation", "share", "How much attention weight goes to sentence ends?",
    attention.attention_to(attention.punctuation),
)  # fmt: skip
COUNTED = tuple(s for s in (*STATISTICS, SEP_ATTENTION, PUNCTUATION_ATTENTION) if s.count)
BY_NAME = {statistic.name: statistic for statistic in STATISTICS}
BY_LABEL = {statistic.label: statistic for statistic in STATISTICS}
