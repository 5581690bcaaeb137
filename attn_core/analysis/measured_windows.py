"""Which windows count, and all that is measured of one.

Torch is imported by the functions that choose pairs, so that a page draws its title before.
"""

from collections.abc import Sequence

from attn_core.measures.few_pairs import MIN_PAIRS
from attn_core.measures.tally import Window
from attn_core.models.head_outputs import HeadOutputs, Values
from attn_core.similarity.noise import ReferenceTokens, find_noise
from attn_core.similarity.strong_pairs import Settings, StrongPairs, number_of_strong_pairs
from attn_core.texts.passages import Passage


def strong_pairs(z: Values, passage: Passage, settings: Settings) -> StrongPairs:
    """The strong pairs of a window as the settings choose them, with nothing that is measured of them."""
    from attn_core.similarity.selection import find_strong_pairs

    return find_strong_pairs(z, passage, settings.share, settings.measure, settings.with_special)


def measured(passage: Passage, output: HeadOutputs, settings: Settings, references: ReferenceTokens) -> Window:
    """One window as every statistic is counted of it: strong pairs, what makes them strong, what attention tokens receive.

    references: of the reference texts, as the same model reads them.
    """
    return measured_under(passage, output, [settings], references)[0]


def measured_under(
    passage: Passage, output: HeadOutputs, choices: Sequence[Settings], references: ReferenceTokens
) -> list[Window]:
    """The same under each of several settings of one measure, of which similarities are computed once."""
    from attn_core.similarity.selection import as_tensor, strong_pairs_under

    z = as_tensor(output.z)
    pairs = strong_pairs_under(z, passage, choices)
    noise = find_noise(z, pairs, choices[0].measure, references)
    return [Window(strong, output, beside) for strong, beside in zip(pairs, noise, strict=True)]


def passages_that_count(passages: Sequence[Passage], settings: Settings) -> tuple[Passage, ...]:
    """Windows with at least `MIN_PAIRS` strong pairs a head; where no window has as many, all in which two tokens may pair.

    None where there is no such window.
    """
    pairs = [strong_pairs_in(passage, settings) for passage in passages]
    least = MIN_PAIRS if max(pairs, default=0) >= MIN_PAIRS else 1
    return tuple(passage for passage, strong in zip(passages, pairs, strict=True) if strong >= least)


def strong_pairs_in(passage: Passage, settings: Settings) -> int:
    """How many strong pairs a head has in a passage; 0 where no two tokens may pair."""
    able = len(passage) - (0 if settings.with_special else int(passage.is_special.sum()))
    return number_of_strong_pairs(able * (able - 1) // 2, settings.share) if able >= 2 else 0
