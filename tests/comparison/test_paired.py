"""Two studies: differences with intervals, paired where the texts are the same."""

import io
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from attn_core.comparison.paired import paired_differences, same_corpus
from attn_core.comparison.subjects import Subject
from attn_core.comparison.tables import Comparison
from attn_core.models.files import ModelSpec
from attn_core.numerics.poisson_bootstrap import apart
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

    def study(corpus: str, out: str, settings: Settings, seed: int = 0) -> Study:
        asked = StudySettings(settings, draws=200, seed=seed)
        return run_study(Corpus(str(folder / corpus)), spec, folder / out, asked)

    return (
        study("one", "dot", Settings(share=0.05)),
        study("one", "cosine", Settings("cosine", 0.05)),
        study("other", "apart", Settings("cosine", 0.05), seed=1),
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


def test_pairing_makes_intervals_narrower_than_texts_drawn_apart(studies: Studies) -> None:
    assert same_corpus(*studies[:2])
    assert not same_corpus(*studies[1:])
    paired, drawn_apart = (paired_differences(studies[0], other).means.set_index("statistic") for other in studies[1:])
    width = {name: (table["high"] - table["low"]).loc["mean_distance"] for name, table in
             (("paired", paired), ("apart", drawn_apart))}  # fmt: skip
    assert 0 < width["paired"] < width["apart"]
    assert not paired_differences(studies[0], studies[2]).paired


def test_texts_drawn_apart_have_the_intervals_of_their_own_tables(studies: Studies) -> None:
    one, other = studies[0], studies[2]
    found = paired_differences(one, other).layers.query("statistic == 'mean_distance'")
    of_tables = (
        study.layers[[f"mean_distance{end}" for end in ("", "_low", "_high")]].to_numpy().T for study in (one, other)
    )
    bounds = apart(*((value, (low, high)) for value, low, high in of_tables))
    np.testing.assert_allclose(found[["low", "high"]].to_numpy().T, bounds)


def test_other_draws_give_other_intervals_of_about_the_same_width(studies: Studies) -> None:
    one, other = studies[:2]
    manifest = {**one.manifest, "settings": {**one.manifest["settings"], "seed": 1}}
    widths = []
    for first in (one, replace(one, manifest=manifest)):
        means = paired_differences(first, other).means.set_index("statistic")
        widths.append((means["high"] - means["low"]).loc["mean_distance"])
    assert widths[0] != widths[1]
    assert widths[0] == pytest.approx(widths[1], rel=0.5)
