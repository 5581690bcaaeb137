"""How much is an effect of 1 %? How far the sentence embedding moves when one word is dropped, and when the text is another."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attn_core.analysis.unrelated import samples_beside
from attn_core.interventions.tables import apart
from attn_core.models.capture import last_states
from attn_core.models.records import LoadedModel
from attn_core.similarity.words import find_words
from attn_core.texts.documents import read_document
from attn_core.texts.passages import Layout, Passage, read_passages

MOVED = ("one word dropped", "another text")  # by what an embedding is moved
WORDS = 12  # of a window that are dropped, evenly spaced, each alone; our choice


@dataclass(frozen=True)
class Yardstick:
    """Means of 1 - cosine to the window's own embedding. word: one word dropped, of so many (NaN: none); text: other texts."""

    word: float
    words: int
    text: float
    texts: int

    @property
    def sentence(self) -> str:
        """Both beside each other, as far as they are known."""
        told = [f"one word dropped moves it by {self.word:.2%} (mean of {self.words})"] if self.words else []
        told += [f"another text by {self.text:.0%} (mean of {self.texts})"] if self.texts else []
        return f"For comparison: {', '.join(told)}." if told else ""


def yardstick(model: LoadedModel, passage: Passage, others: Sequence[Passage]) -> Yardstick:
    """Of one window, beside windows of other texts that the same model reads."""
    own = embedding(model, passage)
    dropped = without_one_word(passage)
    by_word = [apart(embedding(model, one), own) for one in dropped]
    by_text = [apart(embedding(model, one), own) for one in others]
    word, text = (float(np.mean(moved)) if moved else np.nan for moved in (by_word, by_text))
    return Yardstick(word, len(by_word), text, len(by_text))


def beside_samples(model: LoadedModel, passage: Passage, layout: Layout) -> Yardstick:
    """Of one window beside the first windows of sample texts."""
    texts = (read_document(sample.text, sample.language) for sample in samples_beside(passage.document))
    others = [read_passages(text, model.tokenizer, model.max_tokens, layout)[0] for text in texts]
    return yardstick(model, passage, others)


def embedding(model: LoadedModel, passage: Passage) -> np.ndarray:
    """The mean of the last states over the tokens of a window, (hidden,)."""
    return last_states(model, [passage])[0].double().mean(dim=0).cpu().numpy()


def without_one_word(passage: Passage, most: int = WORDS) -> list[Passage]:
    """Copies of a window, each without the tokens of one word; none of a window of one word."""
    words = find_words(passage)
    number = len(words)
    if number < 2:
        return []
    chosen = np.unique(np.linspace(0, number - 1, min(most, number)).astype(int))
    return [passage.at(np.setdiff1d(np.arange(len(passage)), words.tokens[words.words == at])) for at in chosen]
