"""Nothing is lost and nothing is mixed up: refusals, locks, full disks, cancelled studies."""

import errno
from dataclasses import replace
from pathlib import Path

import pytest

from attn_core.errors import InputError
from attn_core.models.files import ModelSpec
from attn_core.runs import folder as files
from attn_core.runs.errors import RunCancelled, RunError
from attn_core.runs.lock import is_locked, lock
from attn_core.runs.progress import Progress, read_progress
from attn_core.similarity.strong_pairs import Settings
from attn_core.study.corpus import Corpus
from attn_core.study.opened import open_study
from attn_core.study.runner import run_study
from attn_core.study.settings import StudySettings
from tests.families import SERVED, save_tiny
from tests.study.made_up import digests, stopped_after


def test_a_cancelled_study_goes_on_and_comes_out_the_same(
    tmp_path: Path, tiny: ModelSpec, corpus_folder: Path, small: StudySettings
) -> None:
    corpus = Corpus(str(corpus_folder))
    run_study(corpus, tiny, tmp_path / "whole", small)
    for stop in (1, 2, 1):
        with pytest.raises(RunCancelled, match="goes on where it was"):
            run_study(corpus, tiny, tmp_path / "parts", small, progress=stopped_after(stop))
        assert read_progress(tmp_path / "parts").status == "cancelled"
    assert 3 <= len(files.shard_paths(tmp_path / "parts")) < len(files.shard_paths(tmp_path / "whole"))
    run_study(corpus, tiny, tmp_path / "parts", small)
    assert digests(tmp_path / "parts") == digests(tmp_path / "whole")


def test_progress_grows_and_ends_at_one(tmp_path: Path, tiny: ModelSpec, corpus_folder: Path, small) -> None:
    said: list[Progress] = []
    run_study(Corpus(str(corpus_folder)), tiny, tmp_path / "study", small, progress=said.append)
    assert [one.status for one in said[:2]] == ["starting", "running"]
    assert said[-1].status == "finished"
    running = [one for one in said[2:] if one.status == "running"]  # the first says that counting begins
    assert all(a.done < b.done and a.windows < b.windows for a, b in zip(running, running[1:], strict=False))
    assert running[-1].done == 1.0
    assert running[0].left_seconds > 0
    assert "windows/s" in str(running[0])
    assert read_progress(tmp_path / "study") == said[-1]


def test_a_finished_study_is_not_counted_again(tmp_path: Path, tiny: ModelSpec, corpus_folder: Path, small) -> None:
    corpus = Corpus(str(corpus_folder))
    run_study(corpus, tiny, tmp_path / "study", small)
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "study").rglob("*.parquet")}
    run_study(corpus, tiny, tmp_path / "study", small)
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "study").rglob("*.parquet")} == before


@pytest.mark.parametrize("change", ["setting", "corpus", "model", "software"])
def test_what_has_changed_is_refused_in_a_sentence(
    tmp_path: Path, tiny: ModelSpec, corpus_folder: Path, small: StudySettings, change: str
) -> None:
    corpus, out = Corpus(str(corpus_folder)), tmp_path / "study"
    with pytest.raises(RunCancelled):
        run_study(corpus, tiny, out, small, progress=stopped_after(1))
    says = {"setting": "measure = dot, now cosine", "corpus": "its texts have changed", "model": "revision = ",
            "software": "torch = 1.0, now"}[change]  # fmt: skip
    if change == "setting":
        small = replace(small, analysis=Settings("cosine"))
    elif change == "corpus":
        (corpus_folder / "003.txt").write_text("Another text altogether.")
    elif change == "model":
        tiny = ModelSpec(str(save_tiny(tmp_path / "other", SERVED["bert"], seed=1)))
        says = "name = "
    else:
        manifest = files.read_json(out / files.MANIFEST)
        manifest["software"]["torch"] = "1.0"
        files.write_file(out / files.MANIFEST, files.to_json(manifest))
    with pytest.raises(RunError, match=says):
        run_study(corpus, tiny, out, small)
    assert read_progress(out).status == "failed"


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path, tiny: ModelSpec, corpus_folder: Path, small) -> None:
    with pytest.raises(RunError, match=r"holds other files \(000.txt\)"):
        run_study(Corpus(str(corpus_folder)), tiny, corpus_folder, small)
    assert {path.suffix for path in corpus_folder.iterdir()} == {".txt"}


def test_a_second_process_is_refused_and_a_dead_one_does_not_count(
    tmp_path: Path, tiny: ModelSpec, corpus_folder: Path, small: StudySettings
) -> None:
    out = tmp_path / "study"
    with lock(out):
        assert is_locked(out)
        with pytest.raises(InputError, match="is in use: another process"):
            run_study(Corpus(str(corpus_folder)), tiny, out, small)
    (out / files.LOCK).write_bytes(files.to_json({"pid": 1, "host": "elsewhere"}))  # as a killed process leaves it
    assert not is_locked(out)
    run_study(Corpus(str(corpus_folder)), tiny, out, small)


@pytest.mark.parametrize("at", [0, 1, 4])  # of the folders that are written, examples and shards in turn
def test_a_full_disk_ends_a_study_cleanly(
    tmp_path: Path, tiny: ModelSpec, corpus_folder: Path, small, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    corpus = Corpus(str(corpus_folder))
    write, written = files.write_files, iter(range(10_000))

    def full(contents: dict[str, bytes], folder: Path) -> None:
        if next(written) >= at:
            write({name: data[: len(data) // 2] for name, data in contents.items()}, folder)
            raise OSError(errno.ENOSPC, "No space left on device")
        write(contents, folder)

    monkeypatch.setattr(files, "write_files", full)
    with pytest.raises(RunError, match="The disk is full: make room"):
        run_study(corpus, tiny, tmp_path / "study", small)
    assert not list((tmp_path / "study").rglob("*.tmp"))
    monkeypatch.undo()
    run_study(corpus, tiny, tmp_path / "study", small)
    run_study(corpus, tiny, tmp_path / "whole", small)
    assert digests(tmp_path / "study") == digests(tmp_path / "whole")


def test_a_study_that_is_not_there_or_not_finished_is_said(
    tmp_path: Path, tiny: ModelSpec, corpus_folder, small
) -> None:
    with pytest.raises(InputError, match="holds no study"):
        open_study(tmp_path)
    with pytest.raises(RunCancelled):
        run_study(Corpus(str(corpus_folder)), tiny, tmp_path / "study", small, progress=stopped_after(1))
    with pytest.raises(InputError, match="is not finished"):
        open_study(tmp_path / "study")


def test_a_corpus_without_any_text_is_said(tmp_path: Path, tiny: ModelSpec, small: StudySettings) -> None:
    (tmp_path / "a.jsonl").write_text("\n\n")
    with pytest.raises(RunError, match="There is no text at"):
        run_study(Corpus(str(tmp_path / "a.jsonl")), tiny, tmp_path / "study", small)
