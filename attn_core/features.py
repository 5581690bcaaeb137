"""Features of texts for scikit-learn, from the heads of a model: a transformer that takes a list of texts.

    make_pipeline(HeadVectorizer(), StandardScaler(), LogisticRegression()).fit(texts, authors)

The model is given by name or folder so that the estimator can be cloned and pickled; each process loads it once.
Reading texts takes most of the time: use `Pipeline(memory=...)` to search over parameters of the classifier.
"""

from collections.abc import Iterable
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from attn_core.analysis.one_text import analyze_reading
from attn_core.analysis.reading import Reading, read
from attn_core.errors import InputError, TextError, check_choice
from attn_core.head import every_head
from attn_core.measures.statistics import STATISTICS
from attn_core.models.files import DEFAULT, ModelSpec
from attn_core.models.head_outputs import as_array
from attn_core.models.loading import model_of
from attn_core.models.records import LoadedModel
from attn_core.similarity.strong_pairs import Settings
from attn_core.texts.documents import read_document
from attn_core.texts.languages import AUTO
from attn_core.texts.passages import Layout

Features = Literal["statistics", "outputs"]
NAMES = [statistic.name for statistic in STATISTICS]


class HeadVectorizer(TransformerMixin, BaseEstimator):
    """Transformer from texts to features of every head, an array (texts, heads x features).

    Parameters
    ----------
    features: "statistics" of every head ("L1H1_mean_distance" and so on), or "outputs", the mean head output of a text
        without its special tokens ("L1H1_0" and so on).
    model: hub id or folder, by default that of `default_spec`.
    settings: which pairs are strong.
    layout, language: as in `analyze`.
    """

    def __init__(
        self,
        features: Features = "statistics",
        model: str | None = None,
        settings: Settings = Settings(),
        layout: Layout = "plain",
        language: str = AUTO,
    ) -> None:
        self.features, self.model, self.settings = features, model, settings
        self.layout, self.language = layout, language

    def fit(self, X: Iterable[str], y: object = None) -> Self:  # noqa: ARG002 - scikit-learn passes it
        """Load the model and name the features; nothing is learned. Raises InputError unless X is a list of texts."""
        check_choice(self.features, ("statistics", "outputs"), "What heads give")
        _checked(X)
        model = self._model()
        names = self._statistics if self.features == "statistics" else range(model.check.captures[2])
        self.feature_names_ = np.array(
            [f"{head}_{name}" for head in every_head(model.layers, model.heads) for name in names], dtype=object
        )
        return self

    def transform(self, X: Iterable[str]) -> np.ndarray:
        """The features, (texts, features) float64. Raises InputError for a text that cannot be read."""
        check_is_fitted(self, "feature_names_")
        model = self._model()
        return np.stack([self._of_text(model, text, number) for number, text in enumerate(_checked(X))])

    def get_feature_names_out(self, input_features: object = None) -> np.ndarray:  # noqa: ARG002 - the same
        """The names of the features, in the order of the columns."""
        check_is_fitted(self, "feature_names_")
        return self.feature_names_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array, tags.input_tags.string = False, True
        tags.requires_fit = True
        return tags

    def _of_text(self, model: LoadedModel, text: str, number: int) -> np.ndarray:
        try:
            reading = read(model, read_document(text, self.language), self.layout)
            if self.features == "outputs":
                return _mean_outputs(reading).ravel()
            return analyze_reading(reading, self.settings).statistics[self._statistics].to_numpy(dtype=float).ravel()
        except TextError as error:
            raise InputError(f"Text {number}: {error}") from None

    @property
    def _statistics(self) -> list[str]:
        """The statistics of a head that the measure has."""
        return [name for name in NAMES if name != "common_share" or self.settings.measure != "centred"]

    def _model(self) -> LoadedModel:
        return model_of(ModelSpec(self.model or DEFAULT))


def _mean_outputs(reading: Reading) -> np.ndarray:
    """The mean head outputs of a text, (layer, head, d_head), without its special tokens."""
    windows = zip(reading.passages, reading.outputs, strict=True)
    of_text = [as_array(output.z)[:, :, ~passage.is_special] for passage, output in windows]
    return np.concatenate(of_text, axis=2).mean(axis=2, dtype=np.float64)


def _checked(X: Iterable[str]) -> list[str]:
    """The texts as a list. Raises InputError for a single string, an empty list, or an item that is not a string."""
    texts = [] if isinstance(X, str) else list(X)
    if not texts or not all(isinstance(text, str) for text in texts):
        raise InputError("Give a list of texts, at least one, and not one text alone.")
    return texts
