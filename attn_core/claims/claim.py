"""Claims of the paper's abstract, and of a summary of it (C2 at the end, C7), with their thresholds and margins.

All thresholds are our choice. Those of C4 and of distinct anchors are quantiles: 95 of 100 corpora of untrained copies
and of shuffled weights stay within them (`docs/benchmark.py --only claims`). The margin of C4 is half the difference
between the threshold *supported* and the mean of the copies.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np


@dataclass(frozen=True)
class Claim:
    """A claim about one effect.

    effect: name in `measures.effects`. claim: C1 to C7. topic, label: short names of the claim and of the effect.
    abstract: quotation of the abstract or a summary. words: description of the effect. supported, contradicted: the
    thresholds. margin: smallest relevant difference between two subjects, a factor if the unit is "times".
    """

    effect: str
    claim: str
    topic: str
    abstract: str
    label: str
    words: str
    unit: Literal["change", "share", "times"]
    supported: float
    contradicted: float
    margin: float

    @property
    def name(self) -> str:
        """The number of the claim and its topic."""
        return f"{self.claim} {self.topic}"

    @property
    def heading(self) -> str:
        """The name of the claim and the label of its effect."""
        return f"{self.name}: {self.label[0].lower()}{self.label[1:]}"

    @property
    def direction(self) -> int:
        """1 if a large effect supports the claim, -1 if a small one does."""
        return 1 if self.supported > self.contradicted else -1

    def scaled(self, values: np.ndarray) -> np.ndarray:
        """Values on the scale of comparisons, larger if they support the claim; logarithms if the unit is "times"."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.direction * (np.log(values) if self.unit == "times" else values)

    @property
    def scaled_margin(self) -> float:
        """The margin on the scale of `scaled`."""
        return float(np.log(self.margin)) if self.unit == "times" else self.margin

    def number(self, value: float) -> str:
        """A value of the effect, formatted with its unit."""
        if self.unit == "times":
            return f"{value:.2f}"
        shown = round(100 * value, 1)
        sign = "+" if self.unit == "change" and shown else ""
        return f"{shown:{sign}z.1f}".removesuffix(".0") + "%"

    @property
    def rule(self) -> str:
        """The thresholds in words."""
        ways = ("above", "below") if self.direction > 0 else ("below", "above")
        supported, contradicted = (self.number(value) for value in (self.supported, self.contradicted))
        return f"supported {ways[0]} {supported}, contradicted {ways[1]} {contradicted}"


CLAIMS = (
    Claim(
        "own_pairs", "C1", "Own pairs", "distinct context similarities within each head and layer", "Pairs not shared",
        "strong pairs that two heads of a layer do not share", "share", 0.6, 0.4, 0.1,
    ),
    Claim(
        "later_reach", "C2", "Shorter later", "as the layers progress, a more short-range similarity",
        "Change of reach, later half over first layer",
        "change of the mean distance over chance from the first layer to the later half of the layers", "change",
        -0.15, 0.1, 0.1,
    ),
    Claim(
        "reach", "C2", "Shorter at the end",
        "a summary of the paper: about -30% from the first layer to the last, in BERT",
        "Change of reach, last over first layer",
        "change of the mean distance over chance from the first layer to the last", "change", -0.15, 0.2, 0.1,
    ),
    Claim(
        "late_sentences", "C3", "Same sentence", "culminating in a preference within the same sentence",
        "Same sentence over chance, late layers", "same-sentence share over chance in the last third of the layers",
        "times", 1.25, 0.9, 1.15,
    ),
    Claim(
        "sentences", "C3", "Same sentence, increasingly", "culminating in a preference within the same sentence",
        "Same sentence, late over early layers",
        "same-sentence share over chance in the last third of the layers, over that of the first (at least chance)",
        "times", 1.25, 0.8, 1.2,
    ),
    Claim(
        "repeating", "C4", "Repetition heads", "identifying token repetitions", "Heads that repeat tokens",
        "heads that repeat tokens, without the token that each repeats most", "share", 0.005, 0.001, 0.002,
    ),
    Claim(
        "gathering", "C4", "Common-token heads", "a token of common appearance and its surrounding context",
        "Heads around a common token",
        "heads of which 5% of the pairs, beyond pairs of like distance, lie around one occurrence of their anchor",
        "share", 0.006, 0.001, 0.002,
    ),
    Claim(
        "anchored", "C5", "An anchor", "each head tends to focus on a unique token", "Heads with an anchor",
        "heads whose anchor covers 10% of the pairs more than the most common token does by chance", "share",
        0.8, 0.4, 0.1,
    ),
    Claim(
        "distinct", "C5", "An anchor of its own", "each head tends to focus on a unique token", "Distinct anchors",
        "distinct anchors of a layer over its heads", "share", 0.905, 0.785, 0.1,
    ),
    Claim(
        "separators", "C6", "Separators", "in the final layers, the attention map focuses on sentence separator tokens",
        "Times even attention, last layers",
        "attention to separators over even attention in the last quarter of the layers", "times", 2, 0.8, 1.4,
    ),
    Claim(
        "separator_trend", "C6", "Separators, increasingly", "in the final layers",
        "Attention to separators, last over first layers",
        "attention to separators over even attention in the last quarter of the layers, over that of the first quarter",
        "times", 1.25, 0.8, 1.2,
    ),
    Claim(
        "noise", "C7", "Noise", "a summary of the paper: unrelated tokens are similar too", "Noise rate",
        "how often tokens of unrelated texts are as similar as strong pairs, over how often those of the text are",
        "times", 0.2, 0.02, 1.5,
    ),
)  # fmt: skip
BY_EFFECT = {claim.effect: claim for claim in CLAIMS}
