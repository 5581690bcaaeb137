"""What a study will take is told before it starts, and nothing is written."""

from dataclasses import replace
from pathlib import Path

import pytest

from attn_core.__main__ import main
from attn_core.errors import InputError
from attn_core.models.files import ModelSpec
from attn_core.study.corpus import Corpus
from attn_core.study.forecast import PLACES, Forecast, forecast
from attn_core.study.runner import run_study
from attn_core.study.settings import StudySettings
from attn_core.study.subjects import with_baselines
from tests.study.made_up import SENTENCES, write_corpus


def test_the_windows_that_are_told_are_about_those_that_are_counted(
    tiny: ModelSpec, small: StudySettings, tmp_path: Path
) -> None:
    folder = write_corpus(tmp_path / "texts", texts=30, sentences=3)
    (folder / "a long one.txt").write_text(" ".join(SENTENCES * 40), encoding="utf-8")
    (folder / "empty.txt").write_text("", encoding="utf-8")
    told = forecast(Corpus(str(folder)), with_baselines([tiny]), small)
    counted = run_study(Corpus(str(folder)), tiny, tmp_path / "study", small).of().provenance
    assert told.texts == counted["texts"]
    assert told.windows[1] <= told.windows[0] <= told.windows[2]
    assert told.windows[0] == pytest.approx(counted["windows"], rel=0.2)
    assert 0 < told.read <= 2 * PLACES
    assert told.seconds == pytest.approx(told.in_seconds * told.windows[0] / told.read)
    assert told.size > 0


def test_nothing_to_count_is_one_sentence(tiny: ModelSpec, small: StudySettings, tmp_path: Path) -> None:
    folder = write_corpus(tmp_path / "texts", texts=2, sentences=1)
    with pytest.raises(InputError, match="No text can be counted"):
        forecast(Corpus(str(folder)), with_baselines([tiny]), replace(small, min_tokens=10_000))


def test_the_command_tells_it_and_writes_nothing(
    tiny: ModelSpec, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = write_corpus(tmp_path / "texts", texts=3)
    out = tmp_path / "study"
    assert main(["study", str(texts), "--out", str(out), "--models", tiny.name, "--plan"]) == 0
    line = capsys.readouterr().out
    assert line.startswith("3 texts, about ") and " windows (" in line and " MB on disk" in line
    assert not out.exists()


def test_workers_share_the_time_and_each_takes_its_memory() -> None:
    told = Forecast(2, (1200.0, 1000.0, 1400.0), 7200.0, 3e6, 2e9, 8, 48.0)
    assert told.in_words() == (
        "2 texts, about 1,200 windows (1,000 to 1,400): about 2 h 0 min, at most 3.0 MB on disk, 2.0 GB of memory. Told by "
        "8 windows that were read now in 48 s."
    )
    assert "about 1 h 0 min with 2 workers, if none slows another" in told.in_words(2)
    assert "2.0 GB of memory a worker" in told.in_words(2)
