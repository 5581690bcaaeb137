"""The windows that are measured, and the measurements of one window.

Torch is imported inside the function that selects pairs, so that a page shows its title first.
"""

from collections.abc import Callable, Sequence

from attn_core.analysis.reading import Reading
from attn_core.errors import TextError
from attn_core.measures.few_pairs import MIN_PAIRS
from attn_core.measures.tally import MeasuredWindow
from attn_core.models.head_outputs import HeadOutputs
from attn_core.similarity.noise_counts import ReferenceTokens, find_noise
from attn_core.similarity.strong_pairs import NO_PAIR, Settings, number_of_strong_pairs
from attn_core.texts.passages import Passage


def measure_window(
    passage: Passage, output: HeadOutputs, choices: Sequence[Settings], references: ReferenceTokens
) -> list[MeasuredWindow]:
    """The strong pairs, head outputs and noise of one window under each of several settings of one measure.

    references: tokens of the reference texts, read by the same model. Similarities are computed once for all settings.
    """
    from attn_core.similarity.selection import as_tensor, strong_pairs_under

    z = as_tensor(output.z)
    pairs = strong_pairs_under(z, passage, choices)
    noise = find_noise(z, pairs, choices[0].measure, references)
    return [
        MeasuredWindow(strong, output, of_noise, choices[0].measure)
        for strong, of_noise in zip(pairs, noise, strict=True)
    ]


def measured_windows(
    reading: Reading,
    choices: Sequence[Settings],
    references: ReferenceTokens,
    progress: Callable[[int, int], None] = lambda _done, _windows: None,
) -> list[tuple[MeasuredWindow, ...]]:
    """The windows of a text that count under each of several settings of one measure.

    `progress` is called with (windows done, windows in all). Raises TextError if none has two tokens that may pair.
    """
    passages = reading.passages
    kept = [passages_that_count(passages, settings) for settings in choices]
    if not all(kept):
        raise TextError(NO_PAIR)
    windows: list[list[MeasuredWindow]] = [[] for _ in choices]
    for done, (passage, output) in enumerate(zip(passages, reading.outputs, strict=True)):
        progress(done, len(passages))
        if any(passage in of_choice for of_choice in kept):
            measured = measure_window(passage, output, choices, references)
            for one, found, of_choice in zip(measured, windows, kept, strict=True):
                if passage in of_choice:
                    found.append(one)
    return [*map(tuple, windows)]


def passages_that_count(passages: Sequence[Passage], settings: Settings) -> tuple[Passage, ...]:
    """The windows with at least `MIN_PAIRS` strong pairs per head.

    If no window has that many, all windows in which at least two tokens may pair; possibly none.
    """
    pairs = [strong_pairs_in(passage, settings) for passage in passages]
    least = MIN_PAIRS if max(pairs, default=0) >= MIN_PAIRS else 1
    return tuple(passage for passage, strong in zip(passages, pairs, strict=True) if strong >= least)


def strong_pairs_in(passage: Passage, settings: Settings) -> int:
    """The number of strong pairs per head in a passage; 0 if fewer than two tokens may pair."""
    able = len(passage) - (0 if settings.with_special else int(passage.is_special.sum()))
    return number_of_strong_pairs(able * (able - 1) // 2, settings.share) if able >= 2 else 0
