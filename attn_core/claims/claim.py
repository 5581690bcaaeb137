"""The claims of the paper's abstract, and of summaries of it, each a record of its effect.

To add a claim, add a `Claim` to `CLAIMS`: studies, verdicts, charts and reports then have it.

All thresholds are our choice. Those of C4 and C5 are quantiles: 95 of 100 corpora of untrained copies
and of shuffled weights stay within them (`docs/benchmark.py --only claims`). The margin of C4 is half the difference
between the threshold *supported* and the mean of the copies.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from attn_core.claims.counted import (
    Condition,
    Counted,
    enough_pairs,
    enough_texts,
    few_in_one_sentence,
    has_separators,
    known_in_every_layer,
    known_references,
    several_heads,
    several_layers,
)
from attn_core.measures.noise import BY_TEXT, noise_rate, of_median_heads, without_each_text
from attn_core.measures.statistics import (
    ANCHOR_UNIQUENESS,
    ANCHORED,
    BY_NAME,
    GATHERING,
    HEAD_OVERLAP,
    LIKE_DISTANCE,
    REPEATING,
)

Formula = Callable[[Counted], np.ndarray]  # (R,): over all texts, and without each group of texts


@dataclass(frozen=True)
class Claim:
    """A claim about one effect.

    Attributes
    ----------
    effect: name of the effect.
    claim: C1 to C7.
    topic, label: short names of the claim and of the effect.
    statement: what is claimed, in a few words.
    quotation: of the abstract or a summary.
    description: of the effect.
    unit: intervals are computed on the logarithm of "times", and of a "change" as a ratio.
    supported, contradicted: the thresholds.
    margin: smallest relevant difference between two subjects, a factor if the unit is "times".
    formula: computes the effect.
    needs: the counts that it is computed from.
    chance: computes its chance level, by default 1 if the unit is "times", else 0.
    conditions: what must hold for the claim to be applicable, besides enough texts and pairs.
    of_heads: whether it is a share of heads.
    over_copies: whether it is divided by the effect of untrained copies in a causal model.
    without_references: computes the effect over all texts without each of n reference texts, (n,), if it depends on
        them.
    """

    effect: str
    claim: str
    topic: str
    statement: str
    quotation: str
    label: str
    description: str
    unit: Literal["change", "share", "times"]
    supported: float
    contradicted: float
    margin: float
    formula: Formula
    needs: tuple[str, ...]
    chance: Formula | None = None
    conditions: tuple[Condition, ...] = ()
    of_heads: bool = False
    over_copies: bool = False
    without_references: Formula | None = None

    @property
    def name(self) -> str:
        """The number of the claim and its topic."""
        return f"{self.claim} {self.topic}"

    @property
    def heading(self) -> str:
        """What is claimed, with the number of the claim."""
        return f"{self.statement} ({self.claim})"

    @property
    def direction(self) -> int:
        """1 if a large effect supports the claim, -1 if a small one does."""
        return 1 if self.supported > self.contradicted else -1

    @property
    def of_pairs(self) -> bool:
        """Whether it depends on strong pairs, and not on attention weights alone."""
        return any(name not in BY_NAME or BY_NAME[name].of_pairs for name in self.needs)

    def not_applicable(self, counted: Counted) -> str:
        """The reason why the claim is not applicable, or ""."""
        general = (enough_texts, *([enough_pairs] if self.of_pairs else []), known_in_every_layer(self.needs))
        return next((reason for one in (*self.conditions, *general) if (reason := one(counted))), "")

    @property
    def added(self) -> float:
        """What turns the effect into a ratio, if its unit is not "share": a change is a ratio minus 1."""
        return float(self.unit == "change")

    def scaled(self, values: np.ndarray) -> np.ndarray:
        """Values on the scale of comparisons, larger if they support the claim; logarithms if the unit is "times"."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.direction * (np.log(values) if self.unit == "times" else values)

    @property
    def scaled_margin(self) -> float:
        """The margin on the scale of `scaled`."""
        return abs(float(np.log(self.margin))) if self.unit == "times" else self.margin

    def number(self, value: float) -> str:
        """A value of the effect, formatted with its unit."""
        if self.unit == "times":
            return f"{value:.2f}" if value >= 0.1 else f"{value:.2g}"
        shown = round(100 * value, 1)
        sign = "+" if self.unit == "change" and shown else ""
        return f"{shown:{sign}z.1f}".removesuffix(".0") + "%"

    @property
    def rule(self) -> str:
        """The thresholds in words."""
        ways = ("above", "below") if self.direction > 0 else ("below", "above")
        supported, contradicted = (self.number(value) for value in (self.supported, self.contradicted))
        return f"supported {ways[0]} {supported}, contradicted {ways[1]} {contradicted}"


def _of_layers(name: str) -> Formula:
    """The mean of a statistic over layers."""
    return lambda counted: counted.values(name).mean(axis=1)


def _change_of_reach(counted: Counted, parts: int) -> np.ndarray:
    """The change of the mean distance over chance from the first layer to the last of `parts` parts of the layers."""
    reach = counted.over_chance("mean_distance")
    return counted.last(reach, parts) / reach[:, 0] - 1


def _late_sentences(counted: Counted) -> np.ndarray:
    """The same-sentence share over chance in the last third of the layers."""
    return counted.last(counted.over_chance("same_sentence_share"), 3)


def _last_over_first_quarter(name: str) -> Formula:
    """The ratio of a statistic over chance, last quarter of the layers over the first."""

    def ratio(counted: Counted) -> np.ndarray:
        by_layer = counted.over_chance(name)
        return counted.last(by_layer, 4) / counted.first(by_layer, 4)

    return ratio


IN_ONE_SENTENCE = few_in_one_sentence(lambda counted: counted.tally.chances("same_sentence_share")[:, 0], 1.25)
NEAR_IN_ONE_SENTENCE = few_in_one_sentence(lambda counted: counted.last(counted.values(LIKE_DISTANCE.name), 3), 1.15)

CLAIMS = (
    Claim(
        "own_pairs", "C1", "Own pairs", "Heads choose pairs of their own",
        "distinct context similarities within each head and layer", "Pairs not shared",
        "strong pairs that two heads of a layer do not share", "share", 0.6, 0.4, 0.1,
        formula=lambda counted: 1 - counted.values(HEAD_OVERLAP.name).mean(axis=1), needs=(HEAD_OVERLAP.name,),
        chance=lambda counted: 1 - counted.tally.chances(HEAD_OVERLAP.name).mean(axis=1),
        conditions=(several_heads,),
    ),
    Claim(
        "later_reach", "C2", "Shorter later", "Pairs get nearer in later layers",
        "as the layers progress, a more short-range similarity",
        "Change of reach, later half over first layer",
        "change of the mean distance over chance from the first layer to the later half of the layers", "change",
        -0.15, 0.1, 0.1,
        formula=lambda counted: _change_of_reach(counted, 2), needs=("mean_distance",),
        conditions=(several_layers,), over_copies=True,
    ),
    Claim(
        "reach", "C2", "Shorter at the end", "Pairs get nearer in the last layer",
        "a summary of the paper: about -30% from the first layer to the last, in BERT",
        "Change of reach, last over first layer",
        "change of the mean distance over chance from the first layer to the last", "change", -0.15, 0.2, 0.1,
        formula=lambda counted: _change_of_reach(counted, counted.layers), needs=("mean_distance",),
        conditions=(several_layers,), over_copies=True,
    ),
    Claim(
        "late_sentences", "C3", "Same sentence", "Same sentence, in late layers",
        "culminating in a preference within the same sentence",
        "Same sentence over chance, late layers", "same-sentence share over chance in the last third of the layers",
        "times", 1.25, 0.9, 1.15,
        formula=_late_sentences, needs=("same_sentence_share",), conditions=(IN_ONE_SENTENCE,), over_copies=True,
    ),
    Claim(
        "same_sentence_beyond_distance", "C3", "Beyond distance", "Same sentence, beyond distance",
        "ours: near tokens share a sentence anyway",
        "Same sentence over pairs of like distance, late layers",
        "same-sentence share over that of pairs of like distance in the last third of the layers",
        "times", 1.15, 1.05, 1.1,
        formula=lambda counted: counted.last(
            counted.values("same_sentence_share") / counted.values(LIKE_DISTANCE.name), 3
        ),
        needs=("same_sentence_share", LIKE_DISTANCE.name),
        conditions=(NEAR_IN_ONE_SENTENCE,),
    ),
    Claim(
        "sentences", "C3", "Same sentence, increasingly", "Same sentence, more in later layers",
        "culminating in a preference within the same sentence",
        "Same sentence, late over early layers",
        "same-sentence share over chance in the last third of the layers, over that of the first (at least chance)",
        "times", 1.25, 0.8, 1.2,
        formula=lambda counted: _late_sentences(counted)
        / np.maximum(counted.first(counted.over_chance("same_sentence_share"), 3), 1),
        needs=("same_sentence_share",),
        conditions=(several_layers, IN_ONE_SENTENCE), over_copies=True,
    ),
    Claim(
        "repeating", "C4", "Repetition heads", "Some heads repeat tokens",
        "identifying token repetitions", "Heads that repeat tokens",
        "heads that repeat tokens, without the token that each repeats most", "share", 0.005, 0.001, 0.002,
        formula=_of_layers(REPEATING.name), needs=(REPEATING.name,), of_heads=True,
    ),
    Claim(
        "gathering", "C4", "Common-token heads", "Some heads gather at a common token",
        "a token of common appearance and its surrounding context",
        "Heads around a common token",
        "heads of which 5% of the pairs, beyond pairs of like distance, lie around one occurrence of the token that "
        "most of them touch", "share", 0.007, 0.001, 0.0025,
        formula=_of_layers(GATHERING.name), needs=(GATHERING.name,), of_heads=True,
    ),
    Claim(
        "anchored", "C5", "An anchor", "Heads have an anchor token",
        "each head tends to focus on a unique token", "Heads with an anchor",
        "heads whose anchor covers 10% of the pairs more than the most common token does by chance", "share",
        0.885, 0.635, 0.1,
        formula=_of_layers(ANCHORED.name), needs=(ANCHORED.name,), of_heads=True,
    ),
    Claim(
        "distinct", "C5", "An anchor of its own", "Anchors differ between heads",
        "each head tends to focus on a unique token", "Distinct anchors",
        "distinct anchors of a layer over its heads", "share", 0.8, 0.515, 0.1,
        formula=_of_layers(ANCHOR_UNIQUENESS.name), needs=(ANCHOR_UNIQUENESS.name,),
        conditions=(several_heads,), of_heads=True,
    ),
    Claim(
        "separators", "C6", "Separators", "Last layers attend to separators",
        "in the final layers, the attention map focuses on sentence separator tokens",
        "Times even attention, last layers",
        "attention to separators over even attention in the last quarter of the layers", "times", 2, 0.8, 1.4,
        formula=lambda counted: counted.last(counted.over_chance("separator_attention"), 4),
        needs=("separator_attention",), conditions=(has_separators,),
    ),
    Claim(
        "separator_trend", "C6", "Separators, increasingly", "Separators, more in later layers", "in the final layers",
        "Attention to separators, last over first layers",
        "attention to separators over even attention in the last quarter of the layers, over that of the first quarter",
        "times", 1.25, 0.8, 1.2,
        formula=_last_over_first_quarter("separator_attention"), needs=("separator_attention",),
        conditions=(several_layers, has_separators),
    ),
    Claim(
        "attention_centralizes", "C6", "Centralizes", "Attention centralizes with layers",
        "a summary of the paper: attention centralizes along the layers",
        "Attention spread, last over first layers",
        "attention spread over that of even attention, in the last quarter of the layers over the first quarter",
        "times", 0.8, 1.1, 0.85,
        formula=_last_over_first_quarter("attention_spread"), needs=("attention_spread",),
        conditions=(several_layers,),
    ),
    Claim(
        "noise", "C7", "Noise", "Unrelated tokens are similar too",
        "a summary of the paper: unrelated tokens are similar too", "Noise rate",
        "how often tokens of unrelated texts are as similar as strong pairs, over how often those of the text are",
        "times", 0.05, 0.005, 1.5,
        formula=lambda counted: of_median_heads(noise_rate(counted.tally)[0], (counted.layers, counted.heads)),
        needs=(BY_TEXT,), conditions=(known_references,),
        without_references=lambda counted: of_median_heads(
            without_each_text(counted.tally)["noise_rate"], (counted.layers, counted.heads)
        ),
    ),
)  # fmt: skip
BY_EFFECT = {claim.effect: claim for claim in CLAIMS}
NEEDED = frozenset(name for claim in CLAIMS for name in claim.needs)  # counts that claims are computed from
