"""The reproduction that comes with the project is whole, small, and says nothing of the machine that made it."""

from pathlib import Path

import pytest
from attn_core.findings.bars import BARS
from attn_core.reproduction.conclusions import curve_table, twins_of
from attn_core.reproduction.opened import Reproduction, open_reproduction

from attn_core.study.corpus import Corpus
from attn_core.texts.documents import SAMPLES_FOLDER

FOLDER = Path(__file__).parents[2] / "attn_core" / "reproduction" / "sample" / "minilm-on-sample-texts"


@pytest.fixture(scope="module")
def sample() -> Reproduction:
    return open_reproduction(FOLDER)


def test_it_has_the_model_three_twins_and_the_shuffled_text(sample: Reproduction) -> None:
    assert twins_of(sample.readings) == 3
    assert sample.failed.empty and set(sample.readings["texts"]) == {11}
    assert len(sample.verdicts) == len(BARS) * (90 + 2 * 3 * 90 + 45)


def test_it_is_of_the_sample_texts_and_of_nobodys_machine(sample: Reproduction) -> None:
    assert sample.corpora["source"].tolist() == ["sample_texts"]
    assert sample.corpora["fingerprint"].tolist() == [Corpus(str(SAMPLES_FOLDER)).fingerprint()]
    assert sum(file.stat().st_size for file in FOLDER.rglob("*")) < 360_000


def test_its_curve_of_c2_ends_where_it_did(sample: Reproduction) -> None:
    """Golden: scalar products of the strongest 0.1 % come nearest to what the paper says, cosines are farthest from it."""
    curve = curve_table(sample.verdicts, "reach", sample.models[0], extension=True)
    assert len(curve) == 90
    nearest, farthest = curve.iloc[0], curve.iloc[-1]
    assert (nearest["measure"], nearest["share"]) == ("dot", 0.001)
    assert (farthest["measure"], farthest["verdict"]) == ("cosine", "unlike the paper")
    assert [round(row["effect"], 3) for row in (nearest, farthest)] == [-0.121, 0.653]
