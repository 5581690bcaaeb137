"""The main findings as sentences with numbers, claim by claim of the paper, whether they bear the paper out or not.

The rules behind the verdicts are our choice; each stands in the function of its claim. Early and late layers are the
first and the last third of a model's layers.
"""

from dataclasses import dataclass, replace
from typing import Literal

import pandas as pd

from attn_core.findings.protocols import HeadsAndLayers
from attn_core.head import Head
from attn_core.measures.roles import MIN_EXCESS, MIXED, information, role_in_words, stands_out
from attn_core.measures.uniqueness import distinct_in_model
from attn_core.similarity.strong_pairs import Unit

Verdict = Literal["as in the paper", "unlike the paper", "no clear sign"]
# What the paper claims, in the words of its abstract and of two summaries; C7 is a remark on noise.
CLAIMS = {
    "C1": "each head has its own similarity matrix",
    "C2": "strong pairs reach far in the first layers, less far later",
    "C3": "in late layers they stay inside one sentence",
    "C4": "heads specialise: some pair repetitions, some a common token with its surroundings",
    "C5": "each head gathers around an anchor token of its own",
    "C6": "in the final layers attention goes to sentence separators, which suggests segments",
    "C7": "unrelated tokens are similar too: noise",
}
PAPER_DROP = 0.30  # "about 30 %" from the first layer to the last
MIN_PAIRS = 30  # strong pairs a head, as many as 80 tokens give at 1 %: fewer bear no verdict
CLEARLY = 1.25  # times as often


@dataclass(frozen=True)
class Finding:
    """A sentence about a claim (C1 to C7 of the paper); `page` shows more."""

    claim: str
    topic: str
    sentence: str
    verdict: Verdict
    page: str


def findings(found: HeadsAndLayers) -> list[Finding]:
    """What this text, or the texts of this study, and the model say to each claim."""
    heads, layers = found.statistics, found.layers
    of_pairs = [
        _own_matrices(layers),
        _reach(layers, found.unit),
        _sentences(layers),
        _roles(heads, found.unit),
        _anchors(heads, layers),
    ]
    pairs = int(heads["pairs"].iloc[0])
    return [_with_caution(finding, pairs) for finding in [*of_pairs, _separators(layers), _noise(layers, found.unit)]]


def change_of_distance(layers: pd.DataFrame) -> float:
    """Relative change of the mean distance from the first layer to the last."""
    distance = layers["mean_distance"]
    return float(distance.iloc[-1] / distance.iloc[0] - 1)


def _with_caution(finding: Finding, pairs: int) -> Finding:
    if pairs >= MIN_PAIRS:
        return finding
    count = "one strong pair" if pairs == 1 else f"{pairs} strong pairs"
    return replace(
        finding,
        verdict="no clear sign",
        sentence=f"{finding.sentence} But this is too little text to tell: {count} a head.",
    )


def _own_matrices(layers: pd.DataFrame) -> Finding:
    """As in the paper: in every layer, two heads share less than half of their strong pairs on average.

    Unlike: they share half of them or more in all layers together. The strong pairs stand for the matrices, whose
    largest values they are.
    """
    overlap = layers["head_overlap"]
    if overlap.isna().all():
        sentence = "A layer has one head only, so nothing can be said about differences between the heads of a layer."
        return Finding("C1", "Own matrices", sentence, "no clear sign", "Heads")
    top = int(overlap.argmax())
    return Finding(
        "C1",
        "Own matrices",
        f"Two heads of one layer have {overlap.mean():.0%} of their strong pairs in common on average "
        f"(chance {layers['chance_head_overlap'].iloc[0]:.1%}, equal matrices 100%). The heads of layer {top + 1} are most "
        f"alike: {overlap[top]:.0%}.",
        _verdict(bool((overlap < 0.5).all()), overlap.mean() >= 0.5),
        "Heads",
    )


def _reach(layers: pd.DataFrame, unit: Unit) -> Finding:
    """As in the paper: the mean distance falls by at least half of what the paper reports. Unlike: it rises by 5 %."""
    distance, chance = layers["mean_distance"], layers["chance_mean_distance"].iloc[0]
    first, last = distance.iloc[0], distance.iloc[-1]
    change = change_of_distance(layers)
    nearest = int(distance.argmin())
    turn = ""
    if nearest not in (0, len(layers) - 1):
        shortest = distance.iloc[nearest]
        turn = f" The shortest reach is in layer {nearest + 1}, {_distance(shortest)} {unit} ({shortest / first - 1:+.0%})."
    return Finding(
        "C2",
        "Reach",
        f"Strong pairs are {_distance(first)} {unit} apart in layer 1 and {_distance(last)} in layer {len(layers)} "
        f"({change:+.0%}; the paper reports about {-PAPER_DROP:.0%} for BERT, chance is {_distance(chance)}).{turn}",
        _verdict(change <= -PAPER_DROP / 2, change >= 0.05),
        "Distances",
    )


def _sentences(layers: pd.DataFrame) -> Finding:
    """As in the paper: pairs keep to a sentence clearly more often in late layers than in early ones and than chance.

    Unlike: clearly less often than in early layers, or no more often than chance.
    """
    share, chance = layers["same_sentence_share"], layers["chance_same_sentence_share"].iloc[0]
    third = max(1, len(layers) // 3)
    early, late = share.iloc[:third].mean(), share.iloc[-third:].mean()
    top = int(share.argmax())
    return Finding(
        "C3",
        "Sentences",
        f"{early:.0%} of the strong pairs of {_first(third)} lie inside one sentence, {late:.0%} in {_last(third)} "
        f"(chance {chance:.0%}). Layer {top + 1} keeps to sentences most: {share.iloc[top]:.0%}.",
        _verdict(late > CLEARLY * max(early, chance), late < early / CLEARLY or late <= chance < 0.5),
        "Distances",
    )


def _roles(heads: pd.DataFrame, unit: Unit) -> Finding:
    """As in the paper: most heads have a role, and both of the paper's kinds are among them. Unlike: none has a role."""
    named = heads["role"].value_counts().drop(MIXED.name, errors="ignore")
    top = heads.loc[heads["repetition_share"].idxmax()]
    kinds = ", ".join(f"{count} {role}" for role, count in named.items())
    both = "repetition" in named and ("anchor" in named or "separators" in named)  # a separator is a common token too
    return Finding(
        "C4",
        "Roles",
        f"{named.sum()} of {len(heads)} heads exceed chance clearly in one respect ({kinds or 'none'}). "
        f"{Head.of_row(top['layer'], top['head'])} ({role_in_words(top)}) repeats most: {top['repetition_share']:.0%} of "
        f"its strong pairs are one {unit.removesuffix('s')} twice (chance {top['chance_repetition_share']:.1%}).",
        _verdict(both and named.sum() > len(heads) / 2, named.empty),
        "Specialization",
    )


def _anchors(heads: pd.DataFrame, layers: pd.DataFrame) -> Finding:
    """As in the paper: most heads gather around their anchor, and a layer's anchors are more distinct than by chance.

    Unlike: neither is so. Chance is the share of distinct anchors among heads as concentrated, around random places.
    """
    coverage, by_luck, pairs = (
        heads[name].to_numpy() for name in ("anchor_coverage", "chance_anchor_coverage", "pairs")
    )
    excess = coverage - by_luck
    gather = int(stands_out(excess, information(coverage, by_luck), pairs).sum())
    top = heads.iloc[excess.argmax()]
    length, by_chance = heads["length_share"].mean(), heads["chance_length_share"].iloc[0]
    uniqueness, independent = layers["anchor_uniqueness"].mean(), layers["chance_anchor_uniqueness"].mean()
    most, distinct = gather > len(heads) / 2, uniqueness > independent
    return Finding(
        "C5",
        "Anchors",
        f"{gather} of {len(heads)} heads gather around their anchor, by {MIN_EXCESS:.0%} of their pairs or more above chance. "
        f"There are {distinct_in_model(heads['anchor_id'])} different anchors; within a layer {uniqueness:.0%} "
        f"are distinct (heads as concentrated around random places: {independent:.0%}). "
        f"{Head.of_row(top['layer'], top['head'])} holds strongest: “{top['anchor']}” touches {top['anchor_coverage']:.0%} "
        f"of its strong pairs (chance {top['chance_anchor_coverage']:.0%}). {_of_length(length, by_chance)}",
        _verdict(most and distinct, not (most or distinct)),
        "Anchor tokens",
    )


def _separators(layers: pd.DataFrame) -> Finding:
    """As in the paper: separators get at least twice their share of attention in the last quarter. Unlike: less than it."""
    weight, chance = layers["separator_attention"], layers["chance_separator_attention"]
    if not (chance > 0).all():
        sentence = "There is no separator token in reach, so nothing can be said about attention to separators."
        return Finding("C6", "Separators", sentence, "no clear sign", "Segmentation")
    ratio = weight / chance
    quarter = max(1, len(layers) // 4)
    late, top = ratio.iloc[-quarter:].mean(), int(ratio.argmax())
    return Finding(
        "C6",
        "Separators",
        f"Separators receive {weight.iloc[-quarter:].mean():.1%} of the attention in {_last(quarter)}, {late:.1f} times "
        f"what even attention would give them; most in layer {top + 1}, {ratio.iloc[top]:.1f} times.",
        _verdict(late >= 2, late < 1),
        "Segmentation",
    )


def _of_length(share: float, chance: float) -> str:
    """How much of the anchors is the length of their vectors: tokens with long ones win scalar products with all others."""
    return f"{share:.0%} of all strong pairs are simply those of the longest vectors (chance {chance:.1%})."


def _noise(layers: pd.DataFrame, unit: Unit) -> Finding:
    """As in the paper: in the mean over layers, unrelated tokens pass at least a fifth as often as those of the text.

    Unlike: at most a fiftieth as often, in every layer.
    """
    noise, cosine = layers["noise_rate"], layers["cosine_noise_rate"]
    most, least = int(noise.argmax()), int(noise.argmin())
    return Finding(
        "C7",
        "Noise",
        f"{unit.capitalize()} of another text are as similar as strong pairs must be {noise.mean():.2f} times as often as "
        f"{unit} of this one (0: never, 1: text makes no difference): {noise.iloc[most]:.2f} times in layer {most + 1}, "
        f"{noise.iloc[least]:.2f} in layer {least + 1}. By cosine, which leaves the vectors' lengths out, it would be "
        f"{cosine.mean():.2f} times.",
        _verdict(noise.mean() >= 0.2, bool((noise <= 0.02).all())),
        "Specialization",
    )


def _verdict(as_paper: bool, unlike: bool) -> Verdict:
    if as_paper:
        return "as in the paper"
    return "unlike the paper" if unlike else "no clear sign"


def _distance(distance: float) -> str:
    return f"{distance:.0f}" if distance >= 10 else f"{distance:.1f}"


def _first(layers: int) -> str:
    return "layer 1" if layers == 1 else f"the first {layers} layers"


def _last(layers: int) -> str:
    return "the last layer" if layers == 1 else f"the last {layers} layers"
