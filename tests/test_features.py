"""Heads as features: what scikit-learn asks of a transformer, and the numbers of the tables."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from attn_core.analysis import one_text
from attn_core.analysis.reading import read
from attn_core.errors import InputError
from attn_core.features import HeadVectorizer
from attn_core.models.files import ModelSpec
from attn_core.texts.documents import read_document
from tests.families import Tiny

TEXTS = [f"The tide rose {'and fell ' * number}. The boats rose with it, {number} of them." for number in range(6)]


def test_statistics_are_those_of_the_heads_table(tiny: ModelSpec, tiny_model: Tiny) -> None:
    made = HeadVectorizer(model=tiny.name).set_output(transform="pandas")
    frame = made.fit_transform(TEXTS)
    heads = one_text.analyze(TEXTS[3], tiny_model("bert")).heads
    assert frame.loc[3, "L2H3_near_share"] == pytest.approx(
        heads.query("layer == 2 and head == 3")["near_share"].item()
    )
    assert frame.iloc[3].filter(like="_mean_distance").to_numpy() == pytest.approx(heads["mean_distance"].to_numpy())


def test_outputs_are_means_over_the_text(tiny: ModelSpec, tiny_model: Tiny) -> None:
    made = HeadVectorizer("outputs", tiny.name).set_output(transform="pandas")
    vectors = made.fit_transform(TEXTS).filter(like="L2H1_").to_numpy()
    reading = read(tiny_model("bert"), read_document(TEXTS[2]))
    expected = reading.outputs[0].z[1, 0][~reading.passages[0].is_special].mean(0)
    assert vectors[2] == pytest.approx(np.asarray(expected), abs=1e-5)


def test_a_search_over_features_clones_and_fits(tiny: ModelSpec) -> None:
    pipeline = make_pipeline(HeadVectorizer("outputs", model=tiny.name), LogisticRegression())
    search = GridSearchCV(pipeline, {"headvectorizer__features": ["statistics", "outputs"]}, cv=2)
    search.fit(TEXTS, [0, 1, 0, 1, 0, 1])
    assert clone(search.best_estimator_[0]).features == search.best_params_["headvectorizer__features"]


@pytest.mark.parametrize(
    ("made", "texts", "says"),
    [
        (HeadVectorizer("beauty"), TEXTS, "statistics or outputs, not 'beauty'"),
        (HeadVectorizer(), TEXTS[0], "not one text"),
        (HeadVectorizer(), [], "at least one"),
        (HeadVectorizer(), [*TEXTS, "..."], "Text 6"),
    ],
)
def test_bad_input_is_said(made: HeadVectorizer, texts: list[str], says: str, tiny: ModelSpec) -> None:
    with pytest.raises(InputError, match=says):
        made.set_params(model=tiny.name).fit(texts).transform(texts)
