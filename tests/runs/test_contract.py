"""The contract of every kind of run: cut off it goes on, what has changed is refused, files of others are not lost."""

import errno
import os
from pathlib import Path

import pytest

from attn_core.errors import RunCancelled, RunError
from attn_core.io.atomic_files import unfinished
from attn_core.runs import folder as run_folder
from attn_core.runs.folder import KINDS, delete_run, is_locked, lock
from attn_core.runs.progress import Progress, read_progress
from attn_core.runs.results import open_run
from attn_core.runs.run import Workers
from tests.runs.conftest import KINDS_MADE, Runs, refuse, shards_of
from tests.study.made_up import digests, stopped_after


def test_cut_off_it_goes_on_and_ends_the_same(runs: Runs, tmp_path: Path) -> None:
    out = tmp_path / "out"
    for _ in range(2):
        with pytest.raises(RunCancelled, match="goes on where it was"):
            runs.make(out, Workers(progress=stopped_after(1)))
        facts = read_progress(out)
        assert facts and facts.status == "cancelled"
    refuse("is not finished", lambda: runs.open(out))
    said: list[Progress] = []
    runs.make(out, Workers(progress=said.append))
    assert runs.is_whole(out)
    running = [one for one in said if one.status == "running"]
    assert all(a.done <= b.done and a.windows <= b.windows for a, b in zip(running, running[1:], strict=False))
    assert running and said[-1].done == 1.0 and read_progress(out) == said[-1]


def test_a_finished_one_is_not_counted_again_and_opened_as_what_it_is(runs: Runs) -> None:
    out, said = runs.copy(), list[Progress]()
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*.parquet")}
    runs.make(out, Workers(progress=said.append))
    assert before and {path: path.stat().st_mtime_ns for path in out.rglob("*.parquet")} == before
    facts = read_progress(out)
    assert facts and (facts.status, facts.done) == ("finished", 1.0)
    assert [one.status for one in (said[0], said[-1])] == ["starting", "finished"]
    (out / run_folder.PROGRESS).unlink()
    assert read_progress(out).status == "finished"
    made = open_run(out)
    assert made is not None and made.kind == runs.kind and made.provenance["program_version"] and str(out) in repr(made)
    (other,) = {*KINDS_MADE} - {runs.kind}
    refuse(f"holds no {other}, as", lambda: KINDS[other].opener().open(out))
    assert open_run(out.parent) is None


def test_what_has_changed_is_refused(runs: Runs) -> None:
    out = runs.copy()
    refuse("another setting: (min_tokens = 2, now 3|seed = 0, now 1)", lambda: runs.make(out, otherwise=True))
    manifest = run_folder.read_json(out / run_folder.MANIFEST)
    assert manifest and manifest["kind"] == runs.kind
    changes = {
        "another program: version = 0.0": {"program": {"version": "0.0"}},
        "another version of the software: torch = 1.0": {"software": manifest["software"] | {"torch": "1.0"}},
        "of another version of this program": {"format": f"{runs.kind} 0"},
    }
    for says, change in changes.items():
        run_folder.write_file(out / run_folder.MANIFEST, run_folder.to_json(manifest | change))
        with pytest.raises(RunError, match=says):
            runs.make(out)
    refuse("of another version of this program: run it again, in a new folder", lambda: runs.open(out))
    run_folder.write_file(out / run_folder.MANIFEST, run_folder.to_json(manifest))
    runs.make(out)
    assert runs.is_whole(out)


@pytest.mark.parametrize("name", ["notes.txt", "tables/heads.csv", "lock", "progress.json", "manifest.json"])
def test_a_folder_of_somebody_else_is_left_as_it_is(name: str, studies: Runs, tmp_path: Path) -> None:
    out = tmp_path / "out"
    (out / name).parent.mkdir(parents=True)
    (out / name).write_text('{"name": "mine"}')
    refuse("holds files|of another program", lambda: studies.make(out))
    refuse("has no manifest of a run|of another program", lambda: delete_run(out))
    assert [path.name for path in out.iterdir()] == [name.split("/")[0]]
    assert (out / name).read_text() == '{"name": "mine"}'


def test_a_second_process_is_refused_and_a_dead_one_does_not_count(runs: Runs) -> None:
    out = runs.copy()
    with lock(out):
        assert is_locked(out)
        refuse("is in use", lambda: runs.make(out))
        refuse("at work", lambda: delete_run(out))
    assert not is_locked(out)
    runs.make(out)


def test_a_full_disk_ends_it_cleanly(runs: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write, written, out = run_folder.write_file, iter(range(10_000)), tmp_path / "out"

    def full(path: Path, data: bytes, private: bool = False) -> None:
        if path.suffix == ".parquet" and next(written) >= 4:
            raise OSError(errno.ENOSPC, "No space left on device")
        write(path, data, private)

    monkeypatch.setattr(run_folder, "write_file", full)
    with pytest.raises(RunError, match="The disk is full: make room"):
        runs.make(out)
    assert not list(out.rglob("*.tmp"))
    monkeypatch.undo()
    runs.make(out)
    assert runs.is_whole(out)


def test_it_is_deleted_whole_or_not_at_all(runs: Runs, tmp_path: Path) -> None:
    out, mine = runs.copy(), tmp_path / "mine"
    mine.write_text("mine")
    others = ("notes.txt", "tables/mine.csv", "figures/1.parquet", "notes/log.txt", "link")
    for stray in (*map(out.joinpath, others), shards_of(out)[0] / "more.txt"):
        stray.parent.mkdir(exist_ok=True)
        stray.symlink_to(mine) if stray.name == "link" else stray.write_text("mine", encoding="utf-8")
        refuse(f"holds other files \\({stray.relative_to(out)}\\): move them", lambda: delete_run(out))
        assert {*digests(out)} == {*digests(runs.whole), str(stray.relative_to(out))}
        stray.unlink()
    assert runs.is_whole(out)
    delete_run(out)
    assert not out.exists() and mine.read_text() == "mine"


def test_a_file_that_comes_during_a_deletion_stays(studies: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    late = studies.copy() / "tables/late.csv"
    monkeypatch.setattr(run_folder, "_is_of_run", lambda *_: late.write_text("mine"))  # after the files are listed
    with pytest.raises(OSError, match="not empty"):
        delete_run(late.parents[1])
    assert late.read_text() == "mine"


def test_leftovers_are_told_from_hidden_files_of_others(studies: Runs, tmp_path: Path) -> None:
    out = studies.copy()
    theirs = [out / ".mine.tmp", out / "notes" / ".x.1-2.tmp"]
    half = unfinished(shards_of(out)[0])
    half.mkdir()
    for path in (*theirs, half / "windows.parquet", unfinished(out / run_folder.TABLES / "heads.csv")):
        path.parent.mkdir(exist_ok=True)
        path.write_text("half")
    studies.make(out)
    assert not half.exists() and all(path.exists() for path in theirs)
    assert not os.path.lexists(unfinished(out / run_folder.TABLES / "heads.csv"))
    first = unfinished(tmp_path / "killed at once" / run_folder.MANIFEST)
    first.parent.mkdir()
    first.touch()
    studies.make(first.parent)
    assert not first.exists()
