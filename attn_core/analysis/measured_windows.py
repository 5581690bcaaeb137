"""Which windows count, and all that is measured of one.

Torch is imported by the functions that choose pairs, so that a page draws its title before.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from attn_core.errors import TextError
from attn_core.measures.random_pairs import few_heads, seed_of, structureless_heads
from attn_core.measures.window import Window
from attn_core.models.head_outputs import HeadOutputs, Values, as_array
from attn_core.similarity.context_similarity import lengths
from attn_core.similarity.noise import ReferenceTokens, find_noise
from attn_core.similarity.strong_pairs import NO_PAIR, Settings, StrongPairs
from attn_core.texts.passages import Passage

Key = TypeVar("Key")


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
    largest, z = replace(settings, share=max(shares)), as_array(output.z)
    pairs, random = strong_pairs(output.z, passage, largest), _structureless_pairs(passage, output, largest)
    choices = [pairs.strongest(share) for share in shares]
    noise = find_noise(z, choices, settings.measure, references)
    whole = Window(pairs, lengths(z), noise[0], as_array(output.received), output.even, random)
    return [
        replace(whole, pairs=strongest, noise=beside, structureless=random.strongest(share))
        for share, strongest, beside in zip(shares, choices, noise, strict=True)
    ]


def _structureless_pairs(passage: Passage, output: HeadOutputs, settings: Settings) -> StrongPairs:
    """Strong pairs of a few heads a layer without structure."""
    some = as_array(output.z[:, few_heads(output.z.shape[1])])
    return strong_pairs(structureless_heads(some, seed_of(passage)), passage, settings)


def windows_that_count(
    parts: Iterable[tuple[Passage, HeadOutputs]], settings: Settings, references: ReferenceTokens
) -> Iterator[Window]:
    """`measured_windows` of one text. Raises TextError where there is none."""
    empty = True
    for _, window in measured_windows(((None, *part, references) for part in parts), settings):
        empty = False
        yield window
    if empty:
        raise TextError(NO_PAIR)


def measured_windows(
    parts: Iterable[tuple[Key, Passage, HeadOutputs, ReferenceTokens]], settings: Settings
) -> Iterator[tuple[Key, Window]]:
    """The windows that count, measured one after another: those in which two tokens may pair.

    parts: windows as a model read them, each under what the caller knows it by, and the reference texts.
    """
    for key, passage, output, references in parts:
        if can_pair(passage, settings):
            yield key, measured(passage, output, settings, references)


def can_pair(passage: Passage, settings: Settings) -> bool:
    """Whether two tokens of a passage may pair."""
    return len(passage) - (0 if settings.with_special else int(passage.is_special.sum())) >= 2
