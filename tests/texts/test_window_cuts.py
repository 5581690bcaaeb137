"""Windows of like length, against counting them one by one."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_core.texts.window_cuts import window_spans

lengths_of_sentences = st.lists(st.integers(1, 40), min_size=1, max_size=15)


def of_sentences(lengths: list[int]) -> np.ndarray:
    return np.repeat(np.arange(len(lengths)), lengths)


def length(sentence: np.ndarray, start: int, end: int, closing: int) -> int:
    return end - start + closing * len(set(sentence[start:end].tolist()))


@given(lengths_of_sentences, st.integers(2, 60), st.sampled_from([0, 1]))
def test_windows_hold_the_text_and_none_is_too_long(sentences: list[int], room: int, closing: int) -> None:
    sentence = of_sentences(sentences)
    spans = window_spans(sentence, room, closing)
    assert (spans[0][0], spans[-1][1]) == (0, len(sentence))
    assert all(before[1] == behind[0] for before, behind in pairwise(spans))
    lengths = [length(sentence, *span, closing) for span in spans]
    assert min(lengths) > 0 and max(lengths) <= room
    assert len(spans) > 1 or length(sentence, 0, len(sentence), closing) <= room


@given(st.lists(st.integers(1, 8), min_size=1, max_size=60), st.integers(48, 100))
def test_short_sentences_stay_whole(sentences: list[int], room: int) -> None:
    ends = {0, *np.cumsum(sentences).tolist()}
    spans = window_spans(of_sentences(sentences), room)
    assert {place for span in spans for place in span} <= ends
    lengths = [end - start for start, end in spans]
    assert max(lengths) - min(lengths) <= 3 * max(sentences)


@pytest.mark.parametrize(
    ("sentences", "spans"),
    [
        ([5, 5], [(0, 10)]),
        ([6, 6], [(0, 6), (6, 12)]),
        ([10, 1], [(0, 6), (6, 11)]),  # a scrap of one token: the sentence is cut
        ([9, 5], [(0, 9), (9, 14)]),
        ([25], [(0, 8), (8, 16), (16, 25)]),  # longer than a window: even parts
    ],
)
def test_windows_of_some_texts(sentences: list[int], spans: list[tuple[int, int]]) -> None:
    assert window_spans(of_sentences(sentences), 10) == spans
