"""Which windows count, and all that is measured of one.

Torch is imported by the functions that choose pairs, so that a page draws its title before.
"""

from collections.abc import Sequence
from dataclasses import replace

from attn_core.measures.tally import MIN_PAIRS
from attn_core.measures.window import Window
from attn_core.models.head_outputs import HeadOutputs, Values, as_array
from attn_core.similarity.context_similarity import lengths
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
    return measured_by_share(passage, output, settings, references, [settings.share])[0]


def measured_by_share(
    passage: Passage, output: HeadOutputs, settings: Settings, references: ReferenceTokens, shares: Sequence[float]
) -> list[Window]:
    """The same under each of several shares: pairs are chosen once, for the largest, of which the others take the first."""
    z, pairs = as_array(output.z), strong_pairs(output.z, passage, replace(settings, share=max(shares)))
    choices = [pairs.strongest(share) for share in shares]
    noise = find_noise(z, choices, settings.measure, references)
    whole = Window(pairs, lengths(z), noise[0], as_array(output.received), output.even)
    return [replace(whole, pairs=strongest, noise=beside) for strongest, beside in zip(choices, noise, strict=True)]


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
