"""stub: the claims, an effect each."""

from dataclasses import dataclass
from typing import Literal

Unit = Literal["change", "share", "times"]


@dataclass(frozen=True)
class Claim:
    effect: str
    claim: str
    topic: str
    abstract: str
    unit: Unit
    supported: float
    contradicted: float
    margin: float

    @property
    def name(self) -> str:
        return f"{self.claim} {self.topic}"

    def number(self, value: float) -> str:
        if self.unit == "times":
            return f"{value:.2f}"
        shown = round(100 * value, 1)
        sign = "+" if self.unit == "change" and shown else ""
        return f"{shown:{sign}z.1f}".removesuffix(".0") + "%"


CLAIMS = (
    Claim(
        "own_pairs",
        "C1",
        "Own pairs",
        "distinct context similarities within each head and layer",
        "share",
        0.6,
        0.4,
        0.1,
    ),
    Claim(
        "later_reach",
        "C2",
        "Shorter later",
        "as the layers progress, a more short-range similarity",
        "change",
        -0.15,
        0.1,
        0.1,
    ),
    Claim(
        "reach",
        "C2",
        "Shorter at the end",
        "a summary of the paper: about -30% from the first layer to the last",
        "change",
        -0.15,
        0.2,
        0.1,
    ),
    Claim(
        "late_sentences",
        "C3",
        "Same sentence",
        "culminating in a preference within the same sentence",
        "times",
        1.25,
        0.9,
        1.15,
    ),
    Claim(
        "sentences",
        "C3",
        "Same sentence, increasingly",
        "culminating in a preference within the same sentence",
        "times",
        1.25,
        0.8,
        1.2,
    ),
    Claim("repeating", "C4", "Repetition heads", "identifying token repetitions", "share", 0.005, 0.001, 0.002),
    Claim(
        "gathering",
        "C4",
        "Common-token heads",
        "a token of common appearance and its surrounding context",
        "share",
        0.006,
        0.001,
        0.002,
    ),
    Claim("anchored", "C5", "An anchor", "each head tends to focus on a unique token", "share", 0.8, 0.4, 0.1),
    Claim(
        "distinct",
        "C5",
        "An anchor of its own",
        "each head tends to focus on a unique token",
        "share",
        0.905,
        0.785,
        0.1,
    ),
    Claim(
        "separators",
        "C6",
        "Separators",
        "in the final layers, the attention map focuses on sentence separator tokens",
        "times",
        2,
        0.8,
        1.4,
    ),
    Claim("separator_trend", "C6", "Separators, increasingly", "in the final layers", "times", 1.25, 0.8, 1.2),
    Claim("noise", "C7", "Noise", "a summary of the paper: unrelated tokens are similar too", "times", 0.2, 0.02, 1.5),
)
BY_EFFECT = {claim.effect: claim for claim in CLAIMS}
