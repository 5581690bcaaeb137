"""Change a word: which heads make other pairs alike, gather elsewhere, and join other words, once one word of a text is another.

Everything is of words, since another word may have another number of tokens: the words of the text and of its edited copy
are aligned by their places, those behind the change by as many characters as it added. The chance level is what other words
of the text do when they are put at the same place.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from attn_core.analysis.reading import read, reading_in
from attn_core.errors import InputError
from attn_core.interventions.effects import matrix_changes
from attn_core.measures.frames import head_index
from attn_core.measures.token_coverage import touched
from attn_core.models.head_outputs import Values
from attn_core.models.records import LoadedModel
from attn_core.similarity.selection import find_strong_pairs
from attn_core.similarity.strong_pairs import Settings, StrongPairs
from attn_core.texts.documents import Document, read_document
from attn_core.texts.passages import Layout, Passage

OTHERS = 10  # words of the text that stand at the place for the chance level


@dataclass(frozen=True)
class Edit:
    """The characters start to end of a text, one word of it, become another word."""

    start: int
    end: int
    word: str

    def of(self, text: str) -> str:
        """The edited copy. Raises InputError where nothing stands in the word's place."""
        if not self.word.strip():
            raise InputError("Type the word that is to stand in place of the chosen one.")
        return text[: self.start] + self.word.strip() + text[self.end :]

    @property
    def shift(self) -> int:
        """How many characters further the text behind the word stands."""
        return len(self.word.strip()) - (self.end - self.start)


@dataclass(frozen=True, eq=False)
class ReadInWords:
    """A window by its words: W words, head outputs (layer, head, W, d_head), strong pairs."""

    passage: Passage
    z: Values
    pairs: StrongPairs


def read_words(model: LoadedModel, document: Document, layout: Layout, window: int, settings: Settings) -> ReadInWords:
    """A window, counted from 1, by its words. Raises TextError for one that does not exist."""
    of_words = reading_in("words", read(model, document, layout, window))
    (passage,), (output,) = of_words.passages, of_words.outputs
    return ReadInWords(passage, output.z, find_strong_pairs(output.z, passage, settings.share, settings.measure))


def read_edited(
    model: LoadedModel, document: Document, edit: Edit, layout: Layout, window: int, settings: Settings
) -> ReadInWords:
    """The same of an edited copy of the document."""
    return read_words(model, read_document(edit.of(document.text), document.language), layout, window, settings)


def aligned(before: Passage, after: Passage, edit: Edit) -> tuple[np.ndarray, np.ndarray]:
    """Where the words that both have stand in each, (A,) twice; the word that was changed is one of them where it is one word."""
    places = {span: at for at, span in enumerate(_spans(after))}
    moved = [_moved(span, edit) for span in _spans(before)]
    both = [(at, places[span]) for at, span in enumerate(moved) if span in places]
    first, second = np.array(both, dtype=np.int64).reshape(-1, 2).T
    return first, second


def word_changes(before: ReadInWords, after: ReadInWords, edit: Edit, settings: Settings) -> pd.DataFrame:
    """One row a head: layer, head, matrix_change, pair_change, anchor_before, anchor_after, anchor_changed.

    matrix_change: 1 - rank correlation of the similarities of the aligned words. pair_change: share of the strong pairs that
    are strong no longer. The anchor is the word that most strong pairs touch. Raises InputError where fewer than three words
    are aligned.
    """
    first, second = aligned(before.passage, after.passage, edit)
    if len(first) < 3:
        raise InputError("The edited copy has fewer than three words in common with this window: change another word.")
    anchors, anchors_after = _anchors(before.pairs), _anchors(after.pairs)
    return head_index(*before.pairs.shape[:2]).assign(
        matrix_change=matrix_changes(before.z, after.z, settings.measure, first, second).ravel(),
        pair_change=_pairs_gone(before.pairs, after.pairs, first, second).ravel(),
        anchor_before=anchors,
        anchor_after=anchors_after,
        anchor_changed=np.array(anchors) != np.array(anchors_after),
    )


def other_words(passage: Passage, edit: Edit) -> list[str]:
    """Different words of a window, by its words, that are neither the one at the place nor the one put there."""
    text = passage.document.text
    avoided = {text[edit.start : edit.end].casefold(), edit.word.strip().casefold()}
    words = {text[a:b].casefold(): text[a:b] for a, b in _spans(passage)}
    kept = sorted(word for bare, word in words.items() if bare not in avoided and bare.isalpha())
    chosen = np.random.default_rng(0).permutation(len(kept))[:OTHERS]
    return [kept[at] for at in chosen]


def beside_chance(edited: pd.DataFrame, by_chance: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """`word_changes` with the means of what other words do, and how many of these change the head's matrix less; sorted.

    Adds chance_matrix_change, chance_pair_change, excess (of the matrix over chance), others_below.
    """
    matrix = np.stack([one["matrix_change"] for one in by_chance])
    table = edited.assign(
        chance_matrix_change=matrix.mean(axis=0),
        chance_pair_change=np.mean([one["pair_change"] for one in by_chance], axis=0),
        others_below=(matrix < edited["matrix_change"].to_numpy()).sum(axis=0),
    )
    table["excess"] = table["matrix_change"] - table["chance_matrix_change"]
    return table.sort_values("excess", ascending=False, kind="stable", ignore_index=True)


def _spans(passage: Passage) -> list[tuple[int, int]]:
    return list(zip(passage.starts.tolist(), passage.ends.tolist(), strict=True))


def _moved(span: tuple[int, int], edit: Edit) -> tuple[int, int]:
    """Where a word of the text stands in the edited copy."""
    if span == (edit.start, edit.end):
        return edit.start, edit.end + edit.shift
    shift = edit.shift if span[0] >= edit.end else 0
    return span[0] + shift, span[1] + shift


def _anchors(pairs: StrongPairs) -> list[str]:
    covered = touched(pairs)
    return [covered.tokens[at] for at in covered.leaders().ravel()]


def _pairs_gone(before: StrongPairs, after: StrongPairs, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Share of the strong pairs before that are none after, (layer, head)."""
    width = len(before.passage)
    back = np.full(len(after.passage), -1)
    back[second] = first
    places = np.sort(np.stack([back[after.first], back[after.second]]), axis=0)
    known = np.where(places[0] >= 0, places[0] * width + places[1], -1)
    layers, heads, kept = before.shape
    shared = [
        [len(np.intersect1d(before.places[layer, head], known[layer, head])) for head in range(heads)]
        for layer in range(layers)
    ]
    return 1 - np.array(shared) / kept
