"""Which windows count, and all that is measured of one.

Torch is loaded by the functions that choose pairs, so that a reading that was kept shows without it.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from attn_core.analysis.unrelated import Unrelated
from attn_core.errors import TextError
from attn_core.measures.window import Window
from attn_core.models.head_outputs import HeadOutputs, Values, as_array
from attn_core.similarity.strong_pairs import NO_PAIR, Settings, StrongPairs
from attn_core.texts.passages import Passage

Key = TypeVar("Key")


def strong_pairs(z: Values, passage: Passage, settings: Settings) -> StrongPairs:
    """The strong pairs of a window as the settings choose them, with nothing that is measured of them."""
    from attn_core.similarity.selection import find_strong_pairs

    return find_strong_pairs(z, passage, settings.share, settings.measure, settings.with_special)


def measured(passage: Passage, output: HeadOutputs, settings: Settings, others: Sequence[Unrelated]) -> Window:
    """One window as every statistic is counted of it: strong pairs, what makes them strong, what attention tokens receive.

    others: windows of other texts, as the same model read them.
    """
    from attn_core.similarity.selection import find_strong_and_aligned
    from attn_core.similarity.strength import find_strength

    pairs, aligned = find_strong_and_aligned(output.z, passage, settings)
    strength = find_strength(output.z, pairs, aligned, settings, [(other.passage, other.z) for other in others])
    return Window(pairs, strength, as_array(output.received), output.even)


def windows_that_count(
    parts: Iterable[tuple[Passage, HeadOutputs]], settings: Settings, others: Sequence[Unrelated]
) -> Iterator[Window]:
    """`measured_windows` of one text, beside others. Raises TextError where there is none."""
    empty = True
    for _, window in measured_windows(((None, *part, others) for part in parts), settings):
        empty = False
        yield window
    if empty:
        raise TextError(NO_PAIR)


def measured_windows(
    parts: Iterable[tuple[Key, Passage, HeadOutputs, Sequence[Unrelated]]], settings: Settings
) -> Iterator[tuple[Key, Window]]:
    """The windows that count, measured one after another: those in which two tokens may pair.

    parts: windows as a model read them, each under what the caller knows it by, and beside windows of other texts.
    """
    for key, passage, output, others in parts:
        if can_pair(passage, settings):
            yield key, measured(passage, output, settings, others)


def can_pair(passage: Passage, settings: Settings) -> bool:
    """Whether two tokens of a passage may pair."""
    return len(passage) - (0 if settings.with_special else int(passage.is_special.sum())) >= 2
