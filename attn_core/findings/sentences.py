"""What the numbers behind each row of the claims are, as a sentence. Late layers are those of the row's own definition."""

from collections.abc import Callable

import pandas as pd

from attn_core.findings.bars import Effect
from attn_core.head import Head
from attn_core.measures.effects import half, quarter, thirds
from attn_core.measures.roles import MIXED, role_in_words, shows_most
from attn_core.measures.standing_out import MIN_EXCESS
from attn_core.measures.uniqueness import distinct_in_model
from attn_core.similarity.strong_pairs import Unit
from attn_core.texts.token_names import quoted

PAPER_DROP = 0.30  # "about 30 %" from the first layer to the last, in a summary of the paper; not in its abstract
BY_STRUCTURE = "Structure alone can bring this about: it is no sign of learning."


def change_of_distance(layers: pd.DataFrame) -> float:
    """Relative change of the mean distance from the first layer to the last."""
    distance = layers["mean_distance"]
    return float(distance.iloc[-1] / distance.iloc[0] - 1)


def _own_matrices(_heads: pd.DataFrame, layers: pd.DataFrame, _unit: Unit, effect: Effect) -> str:
    """The strong pairs stand for the matrices, whose largest values they are."""
    overlap = layers["head_overlap"]
    top = int(overlap.argmax())
    return (
        f"Two heads of one layer have {overlap.mean():.0%} of their strong pairs in common on average "
        f"(chance {layers['chance_head_overlap'].iloc[0]:.1%}, heads without structure {1 - effect.chance:.0%}, equal "
        f"matrices 100%). The heads of layer {top + 1} are most alike: {overlap[top]:.0%}. {BY_STRUCTURE}"
    )


def _later_reach(_heads: pd.DataFrame, layers: pd.DataFrame, unit: Unit, _effect: Effect) -> str:
    distance, late = layers["mean_distance"], half(len(layers))
    first, later = distance.iloc[0], distance.iloc[-late:].mean()
    nearest = int(distance.argmin())
    return (
        f"Strong pairs are {_distance(first)} {unit} apart in layer 1 and {_distance(later)} in {_last(late, len(layers))} "
        f"({later / first - 1:+z.0%}; chance is {_distance(layers['chance_mean_distance'].iloc[0])}). The shortest reach is in "
        f"layer {nearest + 1}: {_distance(distance.iloc[nearest])} ({distance.iloc[nearest] / first - 1:+z.0%})."
    )


def _reach(_heads: pd.DataFrame, layers: pd.DataFrame, unit: Unit, _effect: Effect) -> str:
    distance, chance = layers["mean_distance"], layers["chance_mean_distance"].iloc[0]
    return (
        f"The last layer alone, layer {len(layers)}, decides: strong pairs are {_distance(distance.iloc[0])} {unit} apart in "
        f"layer 1 and {_distance(distance.iloc[-1])} in it ({change_of_distance(layers):+z.0%}; a summary of the paper, not its "
        f"abstract, has about {-PAPER_DROP:.0%} for BERT; chance is {_distance(chance)})."
    )


def _late_sentences(_heads: pd.DataFrame, layers: pd.DataFrame, _unit: Unit, _effect: Effect) -> str:
    share, chance = layers["same_sentence_share"], layers["chance_same_sentence_share"].iloc[0]
    third, top = thirds(len(layers)), int(share.argmax())
    return (
        f"{share.iloc[-third:].mean():.1%} of the strong pairs of {_last(third, len(layers))} lie inside one sentence (chance "
        f"{chance:.1%}). Layer {top + 1} keeps to sentences most: {share.iloc[top]:.1%}."
    )


def _sentences(_heads: pd.DataFrame, layers: pd.DataFrame, _unit: Unit, _effect: Effect) -> str:
    share, third = layers["same_sentence_share"], thirds(len(layers))
    return (
        f"{share.iloc[:third].mean():.1%} of the strong pairs of {_first(third)} lie inside one sentence, "
        f"{share.iloc[-third:].mean():.1%} in {_last(third, len(layers))} (chance "
        f"{layers['chance_same_sentence_share'].iloc[0]:.1%})."
    )


def _repeating(heads: pd.DataFrame, layers: pd.DataFrame, unit: Unit, _effect: Effect) -> str:
    top, one = shows_most(heads, "repetition"), unit.removesuffix("s")
    said = f"{_beside_random(layers, 'repeating_heads')} of the heads stand out in repetition: only what is above that counts."
    if top is None:
        return f"{said} No head stands out in repetition beyond one {one}."
    return (
        f"{said} {Head.of_row(top['layer'], top['head'])}, {role_in_words(top)}, repeats most: "
        f"{top['other_repetition_share']:.0%} of its strong pairs are one {one} twice, without the {one} that it repeats most "
        f"(chance for a single head {top['chance_other_repetition_share']:.1%})."
    )


def _gathering(heads: pd.DataFrame, layers: pd.DataFrame, _unit: Unit, _effect: Effect) -> str:
    named = heads["role"].value_counts().drop(MIXED.name, errors="ignore")
    kinds = ", ".join(f"{count} {role}" for role, count in named.items())
    return (
        f"{_beside_random(layers, 'gathering_heads')} of the heads stand out around an anchor or separators: only what is "
        f"above that counts. {named.sum()} of {len(heads)} heads have a role ({kinds or 'none'})."
    )


def _anchored(heads: pd.DataFrame, layers: pd.DataFrame, unit: Unit, _effect: Effect) -> str:
    top = heads.iloc[(heads["anchor_coverage"] - heads["chance_anchor_coverage"]).argmax()]
    length, by_chance = heads["length_share"].mean(), heads["chance_length_share"].iloc[0]
    return (
        f"{_beside_random(layers, 'anchored_heads')} of the heads gather around their anchor, by {MIN_EXCESS:.0%} of their "
        f"pairs or more above the best {unit.removesuffix('s')} of random pairs. {Head.of_row(top['layer'], top['head'])} "
        f"holds strongest: {quoted(top['anchor'])} touches {top['anchor_coverage']:.0%} of its strong pairs (chance for a "
        f"single head {top['chance_anchor_coverage']:.0%}). {_of_length(length, by_chance)}"
    )


def _distinct(heads: pd.DataFrame, layers: pd.DataFrame, _unit: Unit, _effect: Effect) -> str:
    """Chance of the distinct anchors is the share among heads as concentrated, around random places."""
    uniqueness, independent = layers["anchor_uniqueness"].mean(), layers["chance_anchor_uniqueness"].mean()
    return (
        f"There are {distinct_in_model(heads['anchor_id'])} different anchors; within a layer {uniqueness:.0%} are distinct "
        f"(heads as concentrated around random places: {independent:.0%})."
    )


def _separators(_heads: pd.DataFrame, layers: pd.DataFrame, _unit: Unit, effect: Effect) -> str:
    weight = layers["separator_attention"]
    ratio = weight / layers["chance_separator_attention"]
    late, top = quarter(len(layers)), int(ratio.argmax())
    return (
        f"Separators receive {weight.iloc[-late:].mean():.1%} of the attention in {_last(late, len(layers))}, "
        f"{effect.value:.2f} times what even attention would give them; most in layer {top + 1}, {ratio.iloc[top]:.2f} times."
    )


def _separator_trend(_heads: pd.DataFrame, layers: pd.DataFrame, _unit: Unit, _effect: Effect) -> str:
    ratio, part = layers["separator_attention"] / layers["chance_separator_attention"], quarter(len(layers))
    return (
        f"Separators receive {ratio.iloc[:part].mean():.2f} times what even attention would give them in {_first(part)}, "
        f"{ratio.iloc[-part:].mean():.2f} times in {_last(part, len(layers))}."
    )


def _noise(_heads: pd.DataFrame, layers: pd.DataFrame, unit: Unit, effect: Effect) -> str:
    noise = layers["noise_rate"]
    most, least = int(noise.argmax()), int(noise.argmin())
    meaning = "0: never, 1: the text makes no difference"
    if effect.value > 1:
        meaning = "above 1: more often, so that it is not the text that makes pairs strong"
    others = f"each of {effect.units} other texts" if effect.over == "unrelated texts" else "other texts"
    return (
        f"{unit.capitalize()} of {others} are as similar as strong pairs must be {effect.number} times as often as {unit} of "
        f"this one, in the median head ({meaning}); on average {noise.iloc[most]:.2f} times in layer {most + 1}, "
        f"{noise.iloc[least]:.2f} in layer {least + 1}. {BY_STRUCTURE}"
    )


Sentence = Callable[[pd.DataFrame, pd.DataFrame, Unit, Effect], str]
# By effect: of the tables of heads and layers, the unit of pairs, and the effect.
SENTENCES: dict[str, Sentence] = {
    "own_pairs": _own_matrices, "later_reach": _later_reach, "reach": _reach, "late_sentences": _late_sentences,
    "sentences": _sentences, "repeating": _repeating, "gathering": _gathering, "anchored": _anchored, "distinct": _distinct,
    "separators": _separators, "separator_trend": _separator_trend, "noise": _noise,
}  # fmt: skip


def _beside_random(layers: pd.DataFrame, name: str) -> str:
    return f"{layers[name].mean():.0%} (heads without structure: {layers[f'chance_{name}'].mean():.0%})"


def _of_length(share: float, chance: float) -> str:
    """How much of the anchors is the length of their vectors: tokens with long ones win scalar products with all others."""
    return f"{share:.0%} of all strong pairs are simply those of the longest vectors (chance {chance:.1%})."


def _distance(distance: float) -> str:
    return f"{distance:.0f}" if distance >= 10 else f"{distance:.1f}"


def _first(layers: int) -> str:
    return "layer 1" if layers == 1 else f"the first {layers} layers"


def _last(layers: int, of: int) -> str:
    """Where one layer decides, by its number."""
    return f"layer {of} (the last)" if layers == 1 else f"layers {of - layers + 1} to {of}"
