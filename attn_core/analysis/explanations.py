"""Sources of a text's strong pairs, and why two tokens of it are alike, each from a pass that reads attention again.

Torch is imported inside the functions that run a model, so that a page shows its title first.
"""

from collections.abc import Sequence
from numbers import Integral

import numpy as np

from attn_core.analysis.reading import Reading
from attn_core.errors import InputError
from attn_core.head import Head
from attn_core.measures.common_share import mean_similarity
from attn_core.measures.sources import Explanation, SourceCounts, added, count_sources, explanation
from attn_core.measures.tally import MeasuredWindow
from attn_core.models.head_outputs import as_array
from attn_core.models.records import LoadedModel
from attn_core.similarity.strong_pairs import Settings
from attn_core.similarity.words import Readable, readable
from attn_core.texts.passages import Passage


def sources_of_windows(reading: Reading, windows: Sequence[MeasuredWindow], settings: Settings) -> SourceCounts:
    """The sources of all heads over the measured windows. Raises like `window_sources`."""
    of_tokens = {passage.index: passage for passage in reading.token_passages}
    return added(
        [
            window_sources(reading.model, readable(of_tokens[one.pairs.passage.index], reading.unit), one, settings)
            for one in windows
        ]
    )


def window_sources(model: LoadedModel, units: Readable, window: MeasuredWindow, settings: Settings) -> SourceCounts:
    """The sources of all heads in one window; a head that the model lacks has none.

    Raises InputError for the centred cosine.
    """
    if settings.measure == "centred":
        raise InputError(
            "Sources of heads are those of the scalar product or the cosine: under the centred cosine all pairs have "
            "a mean of 0, so that a token's share has no chance level."
        )
    from attn_core.similarity.contributions import read_by_pairs

    pairs = window.pairs
    strong, every = read_by_pairs(model, units, window.output.z, pairs, settings.measure)
    counts = count_sources(
        units, strong, every * (pairs.shape[2] / pairs.possible), pairs.similarity.sum(axis=-1, dtype=np.float64)
    )
    return counts.without(model.removed)


def explained(
    reading: Reading, settings: Settings, head: Head, ends: tuple[int | str, int | str], number: int
) -> Explanation:
    """Why two tokens or words are alike in a head. number: the index of the window among those read.

    Raises InputError for tokens that are not two of the window and for a removed head.
    """
    from attn_core.similarity.contributions import rows_and_values

    model, passage = reading.model, reading.passages[number]
    if head in model.removed:
        raise InputError(f"{head} is removed from this model: there is nothing to explain.")
    first, second = (_position(passage, end, reading.unit[:-1]) for end in ends)
    if first == second:
        raise InputError(f"A pair has two different {reading.unit}, not {first} twice.")
    units = readable(reading.token_passages[number], reading.unit)
    rows, values = rows_and_values(model, units.passage, head, units.mixes([first, second]))
    able = np.full(len(passage), True) if settings.with_special else ~passage.is_special
    common = mean_similarity(as_array(reading.outputs[number].z[head]), able, settings.measure)
    return explanation(head, (first, second), units, rows, values, settings.measure, float(common))


def _position(passage: Passage, given: int | str, unit: str) -> int:
    """The position of a token or word that is given by position or, where it stands once, by its letters."""
    if isinstance(given, str):
        wanted = given.casefold()
        found = [at for at in range(len(passage)) if wanted in {passage.tokens[at].casefold(), _letters(passage, at)}]
        if len(found) != 1:
            times = f"{len(found)} times, at {', '.join(map(str, found[:8]))}" if found else "nowhere"
            raise InputError(
                f"{given[:40]!r} stands {times} as a {unit} of window {passage.index + 1}: give a position."
            )
        return found[0]
    if not isinstance(given, Integral) or isinstance(given, bool) or not 0 <= given < len(passage):
        raise InputError(
            f"A {unit} is its position, from 0 to {len(passage) - 1}, or its letters where it stands once, not "
            f"{repr(given)[:40]}."
        )
    return int(given)


def _letters(passage: Passage, at: int) -> str:
    return passage.surface(at).strip().casefold()
