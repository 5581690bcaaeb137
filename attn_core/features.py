"""What heads make of texts as features for scikit-learn: transformers that take a list of texts.

    make_pipeline(HeadStatisticsVectorizer(), StandardScaler(), LogisticRegression()).fit(texts, authors)

The model is given by its name or folder, so that an estimator can be cloned and pickled; a process loads it once. To read
texts takes the time, so that a search over parameters of the classifier wants `Pipeline(memory=...)`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from attn_core.analysis.measured_windows import measured_windows
from attn_core.analysis.references import read_references
from attn_core.errors import InputError, TextError
from attn_core.head import Head, every_head, head_of
from attn_core.measures.statistics import STATISTICS
from attn_core.measures.window_counts import WindowCounts, add_up, count_window
from attn_core.models import head_outputs
from attn_core.models.capture import capture
from attn_core.models.files import ModelSpec, default_spec
from attn_core.models.head_outputs import as_array
from attn_core.models.loading import model_of
from attn_core.models.records import LoadedModel
from attn_core.models.windows import batches
from attn_core.similarity.strong_pairs import SHARE, Measure, Settings
from attn_core.texts.documents import read_document
from attn_core.texts.languages import AUTO
from attn_core.texts.passages import Layout, Passage, read_passages

Progress = Callable[[int, int], None]  # windows read, windows in all


class _OfTexts(TransformerMixin, BaseEstimator, ABC):
    """What both transformers share: a model that reads texts in batches."""

    model: str | None
    layout: Layout
    language: str
    batch_tokens: int
    progress: Progress | None

    def fit(self, X: Iterable[str], y: object = None) -> Self:  # noqa: ARG002 - as scikit-learn calls it
        """Load the model and name the features; nothing is learned from the texts. Raises InputError where they are none."""
        _checked(X)
        loaded = self._loaded()
        self.n_layers_, self.n_heads_, self.revision_ = loaded.layers, loaded.heads, loaded.revision
        self.feature_names_ = np.array(self._names(loaded), dtype=object)
        return self

    def get_feature_names_out(self, input_features: object = None) -> np.ndarray:  # noqa: ARG002 - the same
        """The names of the columns, in their order."""
        check_is_fitted(self, "feature_names_")
        return self.feature_names_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array, tags.input_tags.string = False, True
        tags.requires_fit = True
        return tags

    @abstractmethod
    def _names(self, loaded: LoadedModel) -> list[str]:
        """The names of the columns, in their order."""

    def _loaded(self) -> LoadedModel:
        return model_of(ModelSpec(self.model) if self.model else default_spec())

    def _read(self, texts: Sequence[str]) -> Iterator[tuple[int, Passage, head_outputs.HeadOutputs]]:
        """Every window of every text as the model reads it, windows of like length together: number of the text, window,
        outputs."""
        loaded = self._loaded()
        windows = [
            (number, passage) for number, text in enumerate(texts) for passage in self._windows(loaded, text, number)
        ]
        done = 0
        for batch in batches([len(passage) for _, passage in windows], self.batch_tokens):
            if self.progress:
                self.progress(done, len(windows))
            done += len(batch)
            outputs = capture(loaded, [windows[index][1] for index in batch])
            for index, output in zip(batch, outputs, strict=True):
                yield *windows[index], output

    def _windows(self, loaded: LoadedModel, text: str, number: int) -> Sequence[Passage]:
        try:
            return read_passages(read_document(text, self.language), loaded.tokenizer, loaded.max_tokens, self.layout)
        except TextError as error:
            raise InputError(f"Text {number}: {error}") from None


class HeadStatisticsVectorizer(_OfTexts):
    """The statistics of every head, (texts, heads x statistics): "L1H1_mean_distance" and so on.

    measure, share, with_special: which pairs are strong. statistics: names of `measures.statistics.STATISTICS`, all of them
    unless given. model: hub id or folder, the default one unless given. batch_tokens: tokens of one forward pass, padding
    included. progress: called with windows read and windows in all.
    """

    def __init__(
        self,
        model: str | None = None,
        measure: Measure = "dot",
        share: float = SHARE,
        with_special: bool = True,
        statistics: Sequence[str] | None = None,
        layout: Layout = "plain",
        language: str = AUTO,
        batch_tokens: int = 2048,
        progress: Progress | None = None,
    ) -> None:
        self.model, self.measure, self.share, self.with_special = model, measure, share, with_special
        self.statistics, self.layout, self.language = statistics, layout, language
        self.batch_tokens, self.progress = batch_tokens, progress

    def transform(self, X: Iterable[str]) -> np.ndarray:
        """(texts, features), float64. Raises InputError for a text without two tokens that may pair."""
        check_is_fitted(self, "feature_names_")
        texts, loaded = _checked(X), self._loaded()
        settings = Settings(self.measure, self.share, self.with_special)
        counts: list[list[WindowCounts]] = [[] for _ in texts]
        beside = ((*part, read_references(loaded, part[1].document, self.layout)) for part in self._read(texts))
        for number, window in measured_windows(beside, settings):
            counts[number].append(count_window(window))
        if empty := [number for number, of_text in enumerate(counts) if not of_text]:
            raise InputError(f"Text {empty[0]}: no window has two tokens that may pair.")
        return np.stack([add_up(of_text).heads[self._chosen()].to_numpy(dtype=float).ravel() for of_text in counts])

    def _chosen(self) -> list[str]:
        known = [statistic.name for statistic in STATISTICS]
        if unknown := [name for name in self.statistics or () if name not in known]:
            raise InputError(f"There is no statistic {unknown[0]!r}: choose from {', '.join(known)}.")
        return list(self.statistics or known)

    def _names(self, loaded: LoadedModel) -> list[str]:
        return [f"{head}_{name}" for head in every_head(loaded.layers, loaded.heads) for name in self._chosen()]


class HeadOutputsVectorizer(_OfTexts):
    """The mean head output of a text, of chosen heads side by side, (texts, heads x d_head): "L3H2_0" and so on.

    heads: names such as "L3H2", all heads unless given. Special tokens are left out of the mean. model, batch_tokens,
    progress: as of `HeadStatisticsVectorizer`.
    """

    def __init__(
        self,
        heads: Sequence[str] | None = None,
        model: str | None = None,
        layout: Layout = "plain",
        language: str = AUTO,
        batch_tokens: int = 2048,
        progress: Progress | None = None,
    ) -> None:
        self.heads, self.model, self.layout, self.language = heads, model, layout, language
        self.batch_tokens, self.progress = batch_tokens, progress

    def transform(self, X: Iterable[str]) -> np.ndarray:
        """(texts, features), float64."""
        check_is_fitted(self, "feature_names_")
        texts = _checked(X)
        chosen = self._chosen(self._loaded())
        layers, heads = np.array(chosen).T
        sums, tokens = np.zeros((len(texts), len(self.feature_names_))), np.zeros((len(texts), 1))
        for number, passage, output in self._read(texts):
            of_text = as_array(output.z)[layers, heads][:, ~passage.is_special]
            sums[number] += of_text.sum(axis=1, dtype=np.float64).ravel()
            tokens[number] += of_text.shape[1]
        return sums / tokens

    def _chosen(self, loaded: LoadedModel) -> list[Head]:
        if isinstance(self.heads, str):
            raise InputError(f"Heads come as a list of names: put {self.heads[:40]!r} into one.")
        if not self.heads:
            return every_head(loaded.layers, loaded.heads)
        return [head_of(name, loaded.layers, loaded.heads) for name in self.heads]

    def _names(self, loaded: LoadedModel) -> list[str]:
        width = loaded.check.captures[2]
        return [f"{head}_{number}" for head in self._chosen(loaded) for number in range(width)]


def _checked(X: Iterable[str]) -> list[str]:
    """A list of texts. Raises InputError for one text alone, for none, and for what is no text."""
    if isinstance(X, str):
        raise InputError("Give a list of texts, not one text.")
    texts = list(X)
    if not texts or not all(isinstance(text, str) for text in texts):
        raise InputError("Give a list of texts, at least one.")
    return texts
