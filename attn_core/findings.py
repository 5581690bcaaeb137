"""The main findings as sentences with numbers, claim by claim of the paper, whether they bear the paper out or not."""

from dataclasses import dataclass
from typing import Literal

import pandas as pd

from attn_core.analysis import Analysis
from attn_core.measures.frames import head_name

Verdict = Literal["as in the paper", "unlike the paper", "no clear sign"]
PAPER_DROP = 0.30  # "about 30 %" from the first layer to the last


@dataclass(frozen=True)
class Finding:
    """A sentence about a claim (C2 to C6 of the paper); `page` shows more."""

    claim: str
    topic: str
    sentence: str
    verdict: Verdict
    page: str


def findings(found: Analysis) -> list[Finding]:
    """What this text and model say to each claim."""
    return [
        _reach(found.layers),
        _sentences(found.layers),
        _roles(found.statistics),
        _anchors(found.statistics, found.layers),
        _separators(found.layers),
    ]


def change_of_distance(layers: pd.DataFrame) -> float:
    """Relative change of the mean distance from the first layer to the last."""
    distance = layers["mean_distance"]
    return float(distance.iloc[-1] / distance.iloc[0] - 1)


def _reach(layers: pd.DataFrame) -> Finding:
    distance, chance = layers["mean_distance"], layers["chance_mean_distance"].iloc[0]
    change = change_of_distance(layers)
    nearest = int(distance.idxmin())
    turn = ""
    if nearest not in (0, len(layers) - 1):
        turn = f" The shortest reach is in layer {nearest + 1}, {distance[nearest]:.0f} tokens ({distance[nearest] / distance[0] - 1:+.0%})."
    verdict: Verdict = "as in the paper" if change <= -PAPER_DROP / 2 else "no clear sign"
    if change >= 0.05:
        verdict = "unlike the paper"
    return Finding(
        "C2",
        "Reach",
        f"Strong pairs are {distance.iloc[0]:.0f} tokens apart in layer 1 and {distance.iloc[-1]:.0f} in layer "
        f"{len(layers)} ({change:+.0%}; the paper reports about -30 % for BERT, chance is {chance:.0f}).{turn}",
        verdict,
        "Distances",
    )


def _sentences(layers: pd.DataFrame) -> Finding:
    share, chance = layers["same_sentence_share"], layers["chance_same_sentence_share"].iloc[0]
    late = share.iloc[-max(1, len(layers) // 3) :].mean()
    early = share.iloc[: max(1, len(layers) // 3)].mean()
    top = int(share.idxmax())
    verdict: Verdict = "no clear sign"
    if late > 1.25 * early and late > 1.5 * chance:
        verdict = "as in the paper"
    elif late < early:
        verdict = "unlike the paper"
    return Finding(
        "C3",
        "Sentences",
        f"{share.iloc[0]:.0%} of the strong pairs of layer 1 lie inside one sentence, {share.iloc[-1]:.0%} in the last "
        f"layer (chance {chance:.0%}). Layer {top + 1} keeps to sentences most: {share[top]:.0%}.",
        verdict,
        "Distances",
    )


def _roles(heads: pd.DataFrame) -> Finding:
    counts = heads["role"].value_counts()
    named = counts.drop("mixed", errors="ignore")
    top = heads.loc[heads["repetition_share"].idxmax()]
    kinds = ", ".join(f"{count} {role}" for role, count in named.items())
    return Finding(
        "C4",
        "Roles",
        f"{named.sum()} of {len(heads)} heads exceed chance clearly in one respect ({kinds or 'none'}). "
        f"{head_name(top['layer'], top['head'])} repeats most: {top['repetition_share']:.0%} of its strong pairs are one "
        f"token twice (chance {top['chance_repetition_share']:.1%}).",
        "as in the paper" if len(named) > 1 and named.sum() > len(heads) / 2 else "no clear sign",
        "Specialization",
    )


def _anchors(heads: pd.DataFrame, layers: pd.DataFrame) -> Finding:
    top = heads.loc[heads["anchor_coverage"].idxmax()]
    distinct = heads["anchor_id"].nunique()
    uniqueness = layers["anchor_uniqueness"].mean()
    return Finding(
        "C5",
        "Anchors",
        f"The {len(heads)} heads gather around {distinct} different anchor tokens; within a layer {uniqueness:.0%} of the "
        f"anchors are distinct. {head_name(top['layer'], top['head'])} holds strongest: “{top['anchor']}” touches "
        f"{top['anchor_coverage']:.0%} of its strong pairs (chance {top['chance_anchor_coverage']:.0%}).",
        "as in the paper" if uniqueness > 0.5 else "unlike the paper",
        "Anchor tokens",
    )


def _separators(layers: pd.DataFrame) -> Finding:
    ratio = layers["separator_attention"] / layers["chance_separator_attention"].where(lambda chance: chance > 0)
    if ratio.isna().all():
        sentence = "This text has no separator token in reach, so nothing can be said about attention to separators."
        return Finding("C6", "Separators", sentence, "no clear sign", "Segmentation")
    top = int(ratio.idxmax())
    late = ratio.iloc[-max(1, len(layers) // 4) :].mean()
    return Finding(
        "C6",
        "Separators",
        f"Separator tokens receive {layers['separator_attention'].iloc[-1]:.1%} of the attention in the last layer, "
        f"{ratio.iloc[-1]:.1f} times their share of the tokens; most in layer {top + 1}, {ratio[top]:.1f} times.",
        "as in the paper" if late >= 2 else ("no clear sign" if late >= 1 else "unlike the paper"),
        "Segmentation",
    )
