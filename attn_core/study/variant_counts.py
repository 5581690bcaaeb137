"""The counts of the effects under every setting: of a window, from one forward pass, and summed over a text."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from attn_core.analysis.measured_windows import measure_window, strong_pairs_in
from attn_core.claims.claim import NEEDED
from attn_core.head import Head
from attn_core.measures.few_pairs import MIN_PAIRS
from attn_core.measures.noise import BY_TEXT
from attn_core.measures.tally import Count, mean_of_heads
from attn_core.measures.window_counts import BY_LAYER, count_some
from attn_core.models.head_outputs import HeadOutputs
from attn_core.numerics.threads import on_every_core
from attn_core.similarity.noise_counts import ReferenceTokens
from attn_core.similarity.selection import as_tensor
from attn_core.similarity.strong_pairs import MEASURES
from attn_core.similarity.words import UNITS, Unit, to_words
from attn_core.study.settings import VARIANTS, Variant
from attn_core.texts.passages import Passage

Counts = Mapping[str, Count]


def count_variants(
    passage: Passage, output: HeadOutputs, references: Mapping[Unit, ReferenceTokens], removed: Sequence[Head] = ()
) -> dict[Variant, Counts]:
    """The counts that the effects need, by variant, without the variants that leave no two tokens to pair.

    Statistics of heads are means over the heads of a layer that are not removed. Similarities are computed once for all
    variants of a measure and a unit; the layers are divided among the cores.
    """
    in_units: dict[Unit, tuple[Passage, HeadOutputs]] = {
        "tokens": (passage, output),
        "words": to_words(passage, output),
    }
    able = [variant for variant in VARIANTS if strong_pairs_in(in_units[variant.unit][0], variant)]

    def of_layers(layers: Sequence[int]) -> list[dict[Variant, Counts]]:
        return [dict(_under_every_setting(in_units, references, able, slice(layers[0], layers[-1] + 1)))]

    counted = on_every_core(of_layers, range(len(output.z)), as_tensor(output.z).device)
    gone = np.zeros(output.z.shape[:2], dtype=bool)
    for head in removed:
        gone[head] = True
    return {variant: _of_layers(_joined([layers[variant] for layers in counted]), gone) for variant in able}


def rows_of_text(number: int, group: int, windows: Sequence[Mapping[Variant, Counts]]) -> Iterator[dict[str, Any]]:
    """The rows of one text, variant by variant; a window adds nothing to a variant without pairs in it."""
    for place, variant in enumerate(VARIANTS):
        every = [window[variant] for window in windows if variant in window]
        long = [counts for counts in every if counts["mean_distance"].weight >= MIN_PAIRS]
        if not (here := long or every):
            continue
        row: dict[str, Any] = {"text": number, "group": group, "variant": place, "few": not long}
        row |= {"windows": len(here), "short_windows": len(every) - len(here)}
        for name in here[0]:
            row[name] = np.sum([np.ravel(counts[name].numerator) for counts in here], axis=0)
            row[f"chance_{name}"] = np.sum([np.ravel(counts[name].chance) for counts in here], axis=0)
            row[f"weight_{name}"] = float(sum(counts[name].weight for counts in here))
        yield row | {"strong": row["weight_mean_distance"]}


def _under_every_setting(
    in_units: Mapping[Unit, tuple[Passage, HeadOutputs]],
    references: Mapping[Unit, ReferenceTokens],
    able: Sequence[Variant],
    layers: slice,
) -> Iterator[tuple[Variant, Counts]]:
    """The counts of some layers, with their variant."""
    for unit in UNITS:
        passage, output = in_units[unit]
        part = HeadOutputs(output.z[layers], output.received[layers], None, output.even[layers])
        texts = {file: {measure: z[layers] for measure, z in text.items()} for file, text in references[unit].items()}
        for measure in MEASURES:
            if variants := [one for one in able if one.unit == unit and one.measure == measure]:
                for variant, window in zip(variants, measure_window(passage, part, variants, texts), strict=True):
                    yield variant, count_some(window, NEEDED)


def _of_layers(counts: Counts, gone: np.ndarray) -> Counts:
    """The counts with means over the heads of a layer, of their chance too where layers differ in it.

    gone: whether each head is removed, (layer, head); it has no numbers, nor have statistics of layers that lack heads.
    """
    means = {}
    for name, one in counts.items():
        if name in BY_LAYER:
            means[name] = replace(one, numerator=np.where(gone.any(axis=1), np.nan, one.numerator))
        elif name == BY_TEXT:
            means[name] = replace(one, numerator=np.where(gone[..., None], np.nan, one.numerator))
        else:
            of_layers = mean_of_heads(np.where(gone, np.nan, one.numerator))
            means[name] = replace(one, numerator=of_layers, chance=np.atleast_1d(one.chance).mean(axis=-1))
    return means


def _joined(blocks: Sequence[Counts]) -> Counts:
    """The counts of all layers, from those of blocks."""
    joined = {}
    for name, first in blocks[0].items():
        numerator = np.concatenate([block[name].numerator for block in blocks])
        by_layer = name != BY_TEXT and np.ndim(first.chance)
        chance = np.concatenate([block[name].chance for block in blocks]) if by_layer else first.chance
        joined[name] = replace(first, numerator=numerator, chance=chance)
    return joined
