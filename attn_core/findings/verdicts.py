"""The main findings as sentences with numbers, claim by claim of the paper, whether they bear the paper out or not.

The rule behind each verdict is of `bars`, the numbers that it is held against of `measures.effects`. Early and late layers
are the first and the last third of a model's layers.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from attn_core.findings.bars import BY_EFFECT, Effect, Verdict, judged
from attn_core.findings.protocols import HeadsAndLayers
from attn_core.head import Head
from attn_core.measures.effects import quarter, thirds
from attn_core.measures.roles import MIXED, role_in_words
from attn_core.measures.standing_out import MIN_EXCESS
from attn_core.measures.uniqueness import distinct_in_model
from attn_core.similarity.strong_pairs import Unit

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
TOPICS = {
    "C1": "Own matrices", "C2": "Reach", "C3": "Sentences", "C4": "Roles", "C5": "Anchors", "C6": "Separators", "C7": "Noise",
}  # fmt: skip
PAPER_DROP = 0.30  # "about 30 %" from the first layer to the last
MIN_PAIRS = 30  # strong pairs a head, as many as 80 tokens give at 1 %: fewer bear no verdict
MOST_CHANCE = 1 / BY_EFFECT["sentences"].paper  # of pairs in one sentence: above it no share can pass the bar
BY_STRUCTURE = "Structure alone can bring this about: it is no sign of learning."


@dataclass(frozen=True)
class Finding:
    """What is said of a claim (C1 to C7 of the paper): a sentence, the verdict, and the effects that decide it.

    reason: why the claim is not asked, or why there is no clear sign; empty for other verdicts.
    """

    claim: str
    topic: str
    sentence: str
    verdict: Verdict
    reason: str
    effects: tuple[Effect, ...]

    @property
    def deciding(self) -> str:
        """The numbers that decide, with their intervals."""
        return "; ".join(effect.number for effect in self.effects)

    @property
    def rule(self) -> tuple[str, ...]:
        """The rule of each effect with the numbers put in."""
        return tuple(effect.told for effect in self.effects)


def findings(results: HeadsAndLayers, twin: HeadsAndLayers | None = None) -> list[Finding]:
    """What this text, or the texts of this study, and the model say to each claim. twin: the model untrained, if known."""
    heads, layers = results.statistics, results.layers
    separators = bool((layers["chance_separator_attention"] > 0).all())
    inside = float(layers["chance_same_sentence_share"].iloc[0])
    basis = Basis(len(layers), len(heads) // len(layers), int(heads["pairs"].iloc[0]), inside, separators)
    effects, beside = _effects(results), _effects(twin) if twin is not None else {}
    told = {
        "C1": _own_matrices, "C2": _reach, "C3": _sentences, "C4": _roles, "C5": _anchors, "C6": _separators, "C7": _noise,
    }  # fmt: skip
    made = []
    for claim, sentence in told.items():
        own = effects[claim]
        verdict, why = verdict_on(claim, own, basis)
        if verdict == "not asked":
            made.append(Finding(claim, TOPICS[claim], why, verdict, why, ()))
            continue
        parts = [sentence(heads, layers, results.unit, own), *_of_twin(beside.get(claim, ())), why]
        made.append(Finding(claim, TOPICS[claim], " ".join(part for part in parts if part), verdict, why, own))
    return made


@dataclass(frozen=True)
class Basis:
    """What decides whether a claim can be asked.

    layers, and heads a layer; pairs: strong pairs a head; inside: the share of all pairs that lie in one sentence;
    separators: whether there are any that can be attended to.
    """

    layers: int
    heads: int
    pairs: int
    inside: float
    separators: bool


def verdict_on(claim: str, effects: Sequence[Effect], basis: Basis) -> tuple[Verdict, str]:
    """The verdict on a claim, and why it is not asked, or why there is no clear sign; empty for other verdicts."""
    if reason := _not_asked(claim, basis):
        return "not asked", reason
    if basis.pairs < MIN_PAIRS and claim != "C6":
        count = "one strong pair" if basis.pairs == 1 else f"{basis.pairs} strong pairs"
        return "no clear sign", f"This is too little text to tell: {count} a head."
    return judged(claim, effects)


def change_of_distance(layers: pd.DataFrame) -> float:
    """Relative change of the mean distance from the first layer to the last."""
    distance = layers["mean_distance"]
    return float(distance.iloc[-1] / distance.iloc[0] - 1)


def _effects(results: HeadsAndLayers) -> dict[str, tuple[Effect, ...]]:
    return effects_by_claim(results.effects)


def effects_by_claim(effects: pd.DataFrame) -> dict[str, tuple[Effect, ...]]:
    """The rows of an effects table as the effects of each claim."""
    by_claim: dict[str, tuple[Effect, ...]] = dict.fromkeys(CLAIMS, ())
    rows = effects.set_index("effect")
    for name, bars in BY_EFFECT.items():
        row = rows.loc[name]
        value, low, high, chance = (float(row[column]) for column in ("value", "low", "high", "chance"))
        by_claim[bars.claim] += (Effect(bars, value, low, high, chance, int(row["units"]), str(row["over"])),)
    return by_claim


def _of_twin(effects: tuple[Effect, ...]) -> list[str]:
    return [f"The untrained twin has {' and '.join(effect.number for effect in effects)}."] if effects else []


def _not_asked(claim: str, basis: Basis) -> str:
    """Why a model, or a text, has no answer to a claim; empty where it has."""
    if claim in ("C2", "C3") and basis.layers == 1:
        return "The model has one layer, so that there is no first and no last one to compare."
    if claim in ("C1", "C5") and basis.heads == 1:
        return "A layer has one head only, so nothing can be said about differences between the heads of a layer."
    if claim == "C3" and basis.inside > MOST_CHANCE:
        return (
            f"{basis.inside:.0%} of all pairs lie in one sentence: a text of one sentence cannot tell who keeps to it."
        )
    if claim == "C3" and basis.inside == 0:
        return "No sentence has two tokens, so that no pair can lie inside one."
    if claim == "C6" and not basis.separators:
        return "There is no separator token in reach, so nothing can be said about attention to separators."
    return ""


def _own_matrices(_heads: pd.DataFrame, layers: pd.DataFrame, _unit: Unit, effects: tuple[Effect, ...]) -> str:
    """The strong pairs stand for the matrices, whose largest values they are."""
    overlap = layers["head_overlap"]
    top = int(overlap.argmax())
    return (
        f"Two heads of one layer have {overlap.mean():.0%} of their strong pairs in common on average "
        f"(chance {layers['chance_head_overlap'].iloc[0]:.1%}, heads without structure {1 - effects[0].chance:.0%}, equal "
        f"matrices 100%). The heads of layer {top + 1} are most alike: {overlap[top]:.0%}. {BY_STRUCTURE}"
    )


def _reach(_heads: pd.DataFrame, layers: pd.DataFrame, unit: Unit, _effects: tuple[Effect, ...]) -> str:
    distance, chance = layers["mean_distance"], layers["chance_mean_distance"].iloc[0]
    first, last = distance.iloc[0], distance.iloc[-1]
    nearest = int(distance.argmin())
    turn = ""
    if nearest not in (0, len(layers) - 1):
        shortest = distance.iloc[nearest]
        turn = f" The shortest reach is in layer {nearest + 1}, {_distance(shortest)} {unit} ({shortest / first - 1:+.0%})."
    return (
        f"Strong pairs are {_distance(first)} {unit} apart in layer 1 and {_distance(last)} in layer {len(layers)} "
        f"({change_of_distance(layers):+.0%}; the paper reports about {-PAPER_DROP:.0%} for BERT, chance is "
        f"{_distance(chance)}).{turn}"
    )


def _sentences(_heads: pd.DataFrame, layers: pd.DataFrame, _unit: Unit, _effects: tuple[Effect, ...]) -> str:
    share, chance = layers["same_sentence_share"], layers["chance_same_sentence_share"].iloc[0]
    third = thirds(len(layers))
    early, late = share.iloc[:third].mean(), share.iloc[-third:].mean()
    top = int(share.argmax())
    return (
        f"{early:.1%} of the strong pairs of {_first(third)} lie inside one sentence, {late:.1%} in {_last(third)} "
        f"(chance {chance:.1%}). Layer {top + 1} keeps to sentences most: {share.iloc[top]:.1%}."
    )


def _roles(heads: pd.DataFrame, layers: pd.DataFrame, unit: Unit, _effects: tuple[Effect, ...]) -> str:
    named = heads["role"].value_counts().drop(MIXED.name, errors="ignore")
    top = heads.loc[heads["repetition_share"].idxmax()]
    kinds = ", ".join(f"{count} {role}" for role, count in named.items())
    repeating, gathering = (_beside_random(layers, name) for name in ("repeating_heads", "gathering_heads"))
    return (
        f"{repeating} of the heads stand out in repetition and {gathering} around an anchor or separators: structure alone can "
        f"bring this about, so that only what is above it counts. {named.sum()} of {len(heads)} heads have a role "
        f"({kinds or 'none'}). {Head.of_row(top['layer'], top['head'])} ({role_in_words(top)}) repeats most: "
        f"{top['repetition_share']:.0%} of its strong pairs are one {unit.removesuffix('s')} twice "
        f"(chance {top['chance_repetition_share']:.1%})."
    )


def _anchors(heads: pd.DataFrame, layers: pd.DataFrame, unit: Unit, _effects: tuple[Effect, ...]) -> str:
    """Chance of the distinct anchors is the share among heads as concentrated, around random places."""
    top = heads.iloc[(heads["anchor_coverage"] - heads["chance_anchor_coverage"]).argmax()]
    length, by_chance = heads["length_share"].mean(), heads["chance_length_share"].iloc[0]
    uniqueness, independent = layers["anchor_uniqueness"].mean(), layers["chance_anchor_uniqueness"].mean()
    return (
        f"{_beside_random(layers, 'anchored_heads')} of the heads gather around their anchor, by {MIN_EXCESS:.0%} of their "
        f"pairs or more above the best {unit.removesuffix('s')} of random pairs: structure alone can bring this about. There are "
        f"{distinct_in_model(heads['anchor_id'])} different anchors; within a layer {uniqueness:.0%} are distinct (heads as "
        f"concentrated around random places: {independent:.0%}). {Head.of_row(top['layer'], top['head'])} holds strongest: "
        f"“{top['anchor']}” touches {top['anchor_coverage']:.0%} of its strong pairs (chance "
        f"{top['chance_anchor_coverage']:.0%}). {_of_length(length, by_chance)}"
    )


def _separators(_heads: pd.DataFrame, layers: pd.DataFrame, _unit: Unit, _effects: tuple[Effect, ...]) -> str:
    weight = layers["separator_attention"]
    ratio = weight / layers["chance_separator_attention"]
    late, top = quarter(len(layers)), int(ratio.argmax())
    return (
        f"Separators receive {weight.iloc[-late:].mean():.1%} of the attention in {_last(late)}, "
        f"{ratio.iloc[-late:].mean():.2f} times what even attention would give them; most in layer {top + 1}, "
        f"{ratio.iloc[top]:.2f} times."
    )


def _noise(_heads: pd.DataFrame, layers: pd.DataFrame, unit: Unit, effects: tuple[Effect, ...]) -> str:
    noise, cosine = layers["noise_rate"], layers["cosine_noise_rate"]
    most, least = int(noise.argmax()), int(noise.argmin())
    (rate,) = effects
    meaning = "0: never, 1: the text makes no difference"
    if rate.value > 1:
        meaning = "above 1: more often, so that it is not the text that makes pairs strong"
    others = f"each of {rate.units} other texts" if rate.over == "unrelated texts" else "other texts"
    return (
        f"{unit.capitalize()} of {others} are as similar as strong pairs must be {rate.number} times as often as {unit} of "
        f"this one, in the median head ({meaning}); on average {noise.iloc[most]:.2f} times in layer {most + 1}, "
        f"{noise.iloc[least]:.2f} in layer {least + 1}. By cosine, which leaves the vectors' lengths out, it would be "
        f"{cosine.mean():.2f} times. {BY_STRUCTURE}"
    )


def _beside_random(layers: pd.DataFrame, name: str) -> str:
    return f"{layers[name].mean():.0%} (heads without structure: {layers[f'chance_{name}'].mean():.0%})"


def _of_length(share: float, chance: float) -> str:
    """How much of the anchors is the length of their vectors: tokens with long ones win scalar products with all others."""
    return f"{share:.0%} of all strong pairs are simply those of the longest vectors (chance {chance:.1%})."


def _distance(distance: float) -> str:
    return f"{distance:.0f}" if distance >= 10 else f"{distance:.1f}"


def _first(layers: int) -> str:
    return "layer 1" if layers == 1 else f"the first {layers} layers"


def _last(layers: int) -> str:
    return "the last layer" if layers == 1 else f"the last {layers} layers"
