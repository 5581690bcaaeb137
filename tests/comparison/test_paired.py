"""Two studies: differences with intervals, paired where the texts are the same."""

import io
import json

import numpy as np
import pandas as pd
import pytest

from attn_core.comparison.paired import paired_differences, same_corpus
from attn_core.comparison.subjects import Subject
from attn_core.comparison.tables import Comparison
from attn_core.models.files import ModelSpec
from attn_core.similarity.strong_pairs import Settings
from attn_core.study.corpus import Corpus
from attn_core.study.opened import Study
from attn_core.study.runner import run_study
from attn_core.study.settings import StudySettings
from tests.families import TEXT

WORDS = TEXT.split()
Studies = tuple[Study, Study, Study]


@pytest.fixture(scope="module")
def studies(tiny_folder: object, tmp_path_factory: pytest.TempPathFactory) -> Studies:
    """Of one corpus by dot and by cosine, and of another corpus."""
    folder = tmp_path_factory.mktemp("paired")
    for number in range(10):
        text = " ".join(WORDS[3 * number :] + WORDS[: 20 + number])
        for corpus in ("one", "other")[: 2 if number < 6 else 1]:
            (folder / corpus).mkdir(exist_ok=True)
            (folder / corpus / f"{number}.txt").write_text(text)
    spec = ModelSpec(str(tiny_folder("bert")))  # type: ignore[operator]

    def study(corpus: str, out: str, settings: Settings) -> Study:
        return run_study(Corpus(str(folder / corpus)), spec, folder / out, StudySettings(settings))

    return (
        study("one", "dot", Settings(share=0.05)),
        study("one", "cosine", Settings("cosine", 0.05)),
        study("other", "apart", Settings("cosine", 0.05)),
    )


def test_a_study_against_itself_differs_by_exactly_nothing(studies: Studies) -> None:
    paired = paired_differences(studies[0], studies[0])
    assert paired.paired
    assert paired.texts == (10, 10)
    for table in (paired.layers, paired.means):
        assert (table[["difference", "low", "high"]] == 0).all(axis=None)


def test_a_comparison_of_studies_is_written_with_what_each_was_made_by(studies: Studies) -> None:
    files = Comparison([Subject("dot", studies[0]), Subject("cosine", studies[1])]).files()
    subjects = pd.read_csv(io.BytesIO(files["subjects.csv"])).set_index("subject")
    assert json.loads(subjects.loc["cosine", "software"]) == studies[1].provenance["software"]


def test_differences_are_those_of_the_tables(studies: Studies) -> None:
    paired = paired_differences(studies[0], studies[1])
    layers = paired.layers.query("statistic == 'mean_distance'")
    for column, study in (("first", studies[0]), ("second", studies[1])):
        np.testing.assert_allclose(layers[column], study.layers["mean_distance"])
        overall = paired.means.set_index("statistic").loc["mean_distance", column]
        assert overall == pytest.approx(study.layers["mean_distance"].mean())
    assert ((layers["low"] <= layers["difference"]) & (layers["difference"] <= layers["high"])).all()


def test_studies_of_other_texts_have_no_interval_of_their_difference(studies: Studies) -> None:
    assert same_corpus(*studies[:2])
    assert not same_corpus(*studies[1:])
    found = paired_differences(studies[0], studies[2])
    assert not found.paired and found.texts == (10, 6)
    assert found.layers["difference"].notna().all() and found.layers[["low", "high"]].isna().all(axis=None)
