"""Which windows count, and what is measured of one.

Torch is imported by the function that chooses pairs, so that a page draws its title before.
"""

from collections.abc import Sequence

from attn_core.measures.few_pairs import MIN_PAIRS
from attn_core.measures.tally import Window
from attn_core.models.head_outputs import HeadOutputs
from attn_core.similarity.noise import ReferenceTokens, find_noise
from attn_core.similarity.strong_pairs import Settings, number_of_strong_pairs
from attn_core.texts.passages import Passage


def measured(
    passage: Passage, output: HeadOutputs, choices: Sequence[Settings], references: ReferenceTokens
) -> list[Window]:
    """One window under each of several settings of one measure: its strong pairs, head outputs and noise.

    references: tokens of the reference texts, read by the same model. Similarities are computed once.
    """
    from attn_core.similarity.selection import as_tensor, strong_pairs_under

    z = as_tensor(output.z)
    pairs = strong_pairs_under(z, passage, choices)
    noise = find_noise(z, pairs, choices[0].measure, references)
    return [Window(strong, output, of_noise) for strong, of_noise in zip(pairs, noise, strict=True)]


def passages_that_count(passages: Sequence[Passage], settings: Settings) -> tuple[Passage, ...]:
    """The windows with at least `MIN_PAIRS` strong pairs per head.

    Where no window has so many, all in which two tokens may pair, which may be none.
    """
    pairs = [strong_pairs_in(passage, settings) for passage in passages]
    least = MIN_PAIRS if max(pairs, default=0) >= MIN_PAIRS else 1
    return tuple(passage for passage, strong in zip(passages, pairs, strict=True) if strong >= least)


def strong_pairs_in(passage: Passage, settings: Settings) -> int:
    """The number of strong pairs per head in a passage; 0 where no two tokens may pair."""
    able = len(passage) - (0 if settings.with_special else int(passage.is_special.sum()))
    return number_of_strong_pairs(able * (able - 1) // 2, settings.share) if able >= 2 else 0
