"""Where paragraphs begin, and segments that consist of whole ones."""

from dataclasses import dataclass
from itertools import product
from textwrap import fill
from typing import Any

import numpy as np
import pytest

from attn_core.segmentation import METHODS, SentenceOutputs, score, segment
from attn_core.segmentation.evaluation import score_methods
from attn_core.segmentation.partition import best_partition, segment_gains
from attn_core.segmentation.segments import paragraph_ends, paragraph_starts
from attn_core.segmentation.vectors import head_power, weights_of
from attn_core.texts.documents import GOLD_MARK, Document, read_document
from tests.families import Tiny
from tests.segmentation.test_partition import topics, worth

SENTENCES = [f"The tide number {number} rose slowly over the sand of the bay." for number in range(15)]
PARAGRAPHS = [" ".join(SENTENCES[first : first + 3]) for first in range(0, 15, 3)]  # about 180 characters each
ENDS = (3, 6, 9, 12)
LONG_SENTENCE = (
    "The tide rose, and rose again, until the whole of the harbour and half of the lower town stood under grey water."
)


def with_gold(*segments: str) -> Document:
    return read_document(f"\n{GOLD_MARK}\n".join(segments), "en")


@dataclass
class MadeUp:
    """Sentences whose vectors are made up."""

    document: Document
    vectors: np.ndarray
    embeddings: np.ndarray
    tokens: np.ndarray

    @property
    def head_weights(self) -> np.ndarray:
        return weights_of(head_power(self.vectors), len(self))

    def __len__(self) -> int:
        return len(self.tokens)


@pytest.fixture(scope="module")
def read(tiny_model: Tiny) -> SentenceOutputs:
    return SentenceOutputs(tiny_model("bert"), read_document("\n\n".join(PARAGRAPHS), "en"))


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("\r\n \t\r\n\r\n".join(PARAGRAPHS), ENDS),
        ("\n".join(PARAGRAPHS), ENDS),
        ("\n\n".join(fill(one, 60) for one in PARAGRAPHS), ENDS),
        ("\n".join(fill(one, 60) for one in PARAGRAPHS), ()),
        (fill(" ".join(PARAGRAPHS * 2), 130), ()),
        ("\n".join(SENTENCES), ()),
        ("\n".join([LONG_SENTENCE] * 8), ()),
        (f"\n{GOLD_MARK}\n".join(["\n".join(SENTENCES[:3])] * 4), ()),
        ("Milk.\nBread.\nTwo eggs. Or three.\nSalt.\nFlour.", ()),
        ("\n\n".join(["Seven lamps hung.\nThe wind came.\nOut went one."] * 3), (3, 6)),
        ("\n".join(["The morning\n" + PARAGRAPHS[0], *PARAGRAPHS[1:]]), ENDS),
        ("One sentence only.", ()),
    ],
)
def test_paragraphs_begin_where_they_were_typed(text: str, starts: tuple[int, ...]) -> None:
    assert paragraph_starts(read_document(text, "en")) == starts


@pytest.mark.parametrize("method", METHODS)
def test_every_method_cuts_at_paragraph_ends_unless_more_segments_are_asked_for(
    read: SentenceOutputs, method: str
) -> None:
    for segments in (None, 1, 2, 5):
        found = segment(method, read, segments=segments)
        assert set(found) <= set(ENDS)
        assert segments is None or len(found) + 1 == segments
    found = segment(method, read, segments=6)
    assert len(found) == 5 and set(found) <= set(range(1, 15))


@pytest.mark.parametrize(
    ("document", "ends"),
    [
        (read_document("\n\n".join(PARAGRAPHS[:4]), "en"), (3, 6, 9)),
        (read_document("\n\n".join(PARAGRAPHS[:3]), "en"), ()),
        (with_gold("\n\n".join(PARAGRAPHS[:3]), "\n\n".join(PARAGRAPHS[3:] * 2)), (3, 6, 9, 12, 15, 18)),
        (with_gold(*(f"\n{one}\n" for one in PARAGRAPHS)), ()),
        (with_gold("\n\n".join(PARAGRAPHS[:2]), *(f"\n{one}\n" for one in PARAGRAPHS[2:])), ()),
    ],
)
def test_gold_lines_do_not_make_paragraphs(document: Document, ends: tuple[int, ...]) -> None:
    assert paragraph_ends(document) == ends


def test_the_partition_of_paragraphs_is_as_good_as_brute_force() -> None:
    vectors, _ = topics([4, 5, 3], noise=2.0)
    starts = np.array([0, 2, 3, 7, 8, 10])
    best = best_partition(segment_gains(vectors, starts=starts), 3)
    every = [(a, b) for a, b in product(starts[1:], repeat=2) if a < b]
    assert worth(vectors, tuple(starts[list(best)])) == pytest.approx(max(worth(vectors, each) for each in every))


@pytest.mark.parametrize("method", ["partition", "partition_heads", "partition_embeddings"])
@pytest.mark.parametrize(("lengths", "noise"), [([8, 12, 8], 0.4), ([7, 13, 8], 0.4), ([7] * 4, 2.8), ([4] * 7, 2.8)])
def test_paragraphs_move_the_boundaries_and_not_their_number(method: str, lengths: list[int], noise: float) -> None:
    vectors, boundaries = topics(lengths, noise)
    sentences = [f"The tide number {number} rose." for number in range(28)]
    document = read_document("\n\n".join(" ".join(sentences[at : at + 4]) for at in range(0, 28, 4)), "en")
    whole = read_document(" ".join(sentences), "en")
    made: list[Any] = [MadeUp(one, vectors[None, None], vectors, np.full(28, 9)) for one in (whole, document)]
    anywhere, found = (segment(method, outputs) for outputs in made)
    assert len(found) == len(anywhere)
    assert set(found) <= set(range(4, 28, 4))
    assert noise > 1 or anywhere == boundaries


def test_a_text_with_gold_is_cut_at_its_paragraphs(tiny_model: Tiny) -> None:
    document = with_gold("\n\n".join(PARAGRAPHS[:3]), "\n\n".join(PARAGRAPHS[3:] * 2))
    assert document.gold == (9,)
    given = score_methods(SentenceOutputs(tiny_model("bert"), document), ["even_cuts"])[0]
    assert given["pk"] == score((9,), (12,), 21).pk  # the fourth of seven paragraphs
