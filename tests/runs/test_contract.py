"""What every kind of run keeps to: cut off it goes on, damaged it is mended or refused, and nobody else's files are lost."""

import errno
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from attn_core.errors import InputError, RunCancelled, RunError
from attn_core.io import atomic_files
from attn_core.io.paths import shown
from attn_core.models.files import ModelSpec
from attn_core.report.of_tables import of_folder
from attn_core.runs import folder as files
from attn_core.runs.kinds import KINDS, named
from attn_core.runs.lock import holder, is_locked, lock
from attn_core.runs.ownership import delete_run
from attn_core.runs.progress import Progress, read_progress
from attn_core.runs.results import Results, kind_in, open_run
from attn_core.runs.run import Workers
from tests.quick import quick_only
from tests.runs.made import DAMAGES, Makers, digests, makers
from tests.study.made_up import stopped_after

pytestmark = pytest.mark.slow
# After so many shards.
STOPS = {"study": (1, 1), "patterns": (1,), "ablation": (1,), "reproduction": (1, 1), "series": (1,)}
QUICK = ("study", "series")  # the one by shards, the other by steps
PAIRS = [
    pytest.param(kind, list(DAMAGES)[(at + 3 * turn) % len(DAMAGES)], marks=[] if kind in QUICK else pytest.mark.long)
    for turn in (0, 1)
    for at, kind in enumerate(KINDS)
]
every_kind = pytest.mark.parametrize("kind", quick_only(KINDS, *QUICK))
Whole = Callable[[str], Path]


@pytest.fixture(scope="module")
def given(tiny_folder: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Makers:
    return makers(ModelSpec(str(tiny_folder("bert"))), tmp_path_factory.mktemp("given"))


@pytest.fixture(scope="module")
def whole(given: Makers) -> Whole:
    """The folder of a finished run of a kind: read it only."""
    made: dict[str, Path] = {}

    def of(kind: str) -> Path:
        if kind not in made:
            made[kind] = given.make(kind, given.below / "whole" / kind).folder
        return made[kind]

    return of


@pytest.fixture
def copy(whole: Whole, tmp_path: Path) -> Whole:
    return lambda kind: Path(shutil.copytree(whole(kind), tmp_path / "copies" / kind))


def opened(kind: str, folder: Path) -> Results:
    return named(KINDS[kind].results).open(folder)


@every_kind
def test_cut_off_it_goes_on_and_ends_the_same(kind: str, given: Makers, whole: Whole, tmp_path: Path) -> None:
    out = tmp_path / kind
    for shards in STOPS[kind]:
        with pytest.raises(RunCancelled, match="goes on where it was"):
            given.make(kind, out, Workers(progress=stopped_after(shards)))
        told = read_progress(out)
        assert told and told.status == "cancelled"
    assert kind_in(out) == KINDS[kind]
    with pytest.raises(InputError, match="is not finished: start it again|has no step yet"):
        opened(kind, out)
    given.make(kind, out)
    assert digests(out) == digests(whole(kind))


@every_kind
def test_a_finished_one_is_not_counted_again_and_tells_how_far_it_is(kind: str, given: Makers, copy: Whole) -> None:
    out, said = copy(kind), list[Progress]()
    before = {path: path.stat().st_mtime_ns for path in out.rglob("shards/*/*")}
    given.make(kind, out, Workers(progress=said.append))
    assert before and {path: path.stat().st_mtime_ns for path in out.rglob("shards/*/*")} == before
    told = read_progress(out)
    assert told and (told.status, told.done) == ("finished", 1.0)
    if kind != "series":  # which tells of its steps, and there are none to study
        assert [one.status for one in (said[0], said[-1])] == ["starting", "finished"]


@pytest.mark.parametrize(("kind", "damage"), PAIRS)
def test_damage_never_becomes_a_number(kind: str, damage: str, given: Makers, whole: Whole, copy: Whole) -> None:
    """Of the first shard, or step, that file is damaged whose turn it is, and a table too."""
    out, turn = copy(kind), list(DAMAGES).index(damage)
    place = out / "steps" / "00000001" if kind == "series" else next(out.rglob("000000"))
    inside, tables = sorted(place.iterdir()), sorted((out / files.TABLES).iterdir())
    DAMAGES[damage](inside[turn % len(inside)])
    DAMAGES[damage](tables[turn % len(tables)])
    with pytest.raises(InputError, match="damaged|cannot be read"):
        opened(kind, out)
    given.make(kind, out)
    assert digests(out) == digests(whole(kind))


@pytest.mark.parametrize(("kind", "damage"), PAIRS)
def test_a_damaged_manifest_is_refused_in_a_sentence(kind: str, damage: str, given: Makers, copy: Whole) -> None:
    out = copy(kind)
    DAMAGES[damage](out / KINDS[kind].manifest)
    for attempt in (lambda: opened(kind, out), lambda: given.make(kind, out)):
        with pytest.raises(InputError) as refused:
            attempt()
        assert "\n" not in str(refused.value)
    assert read_progress(out).status == "finished"


@every_kind
def test_what_has_changed_is_refused(kind: str, given: Makers, whole: Whole, copy: Whole) -> None:
    out = copy(kind)
    with pytest.raises(
        RunError, match="another setting: (min_tokens = 2, now 3|layout = plain, now separated|seed = 0, now 1)"
    ):
        given.make(kind, out, otherwise=True)
    manifest = files.read_json(out / KINDS[kind].manifest)
    assert manifest and manifest["kind"] == kind
    changes = {
        "begun by a program that counts differently": {"program": {"version": "0.0"}},
        "another version of the software: torch = 1.0": {"software": manifest["software"] | {"torch": "1.0"}},
        "of another version of this program": {"format": f"{kind} 0"},
    }
    for says, change in changes.items():
        files.write_file(out / KINDS[kind].manifest, files.to_json(manifest | change))
        if says.startswith("begun") and not KINDS[kind].grows:
            given.make(kind, out)  # whole tables stay right
            shutil.rmtree(out / files.TABLES)
        with pytest.raises(RunError, match=says):
            given.make(kind, out)
    with pytest.raises(InputError, match="of another version of this program: run it again, in a new folder"):
        opened(kind, out)
    files.write_file(out / KINDS[kind].manifest, files.to_json(manifest))
    given.make(kind, out)
    assert digests(out) == digests(whole(kind))


@every_kind
@pytest.mark.parametrize("name", ["notes.txt", "tables/heads.csv", "lock"])
def test_a_folder_of_somebody_else_is_left_as_it_is(kind: str, name: str, given: Makers, tmp_path: Path) -> None:
    (tmp_path / "out" / name).parent.mkdir(parents=True)
    (tmp_path / "out" / name).write_text("mine")
    with pytest.raises(RunError, match="holds other files"):
        given.make(kind, tmp_path / "out")
    assert [path.name for path in (tmp_path / "out").iterdir()] == [name.split("/")[0]]
    assert (tmp_path / "out" / name).read_text() == "mine"


@every_kind
def test_a_second_process_is_refused_and_a_dead_one_does_not_count(kind: str, given: Makers, copy: Whole) -> None:
    out = copy(kind)
    with lock(out):
        assert is_locked(out)
        with pytest.raises(InputError, match="is in use"):
            given.make(kind, out)
        if kind in ("study", "patterns", "reproduction"):
            with pytest.raises(InputError, match="at work"):
                delete_run(out)
    (out / files.LOCK).write_bytes(files.to_json({"pid": 1, "host": "elsewhere"}))  # as a killed process leaves it
    assert not is_locked(out)
    given.make(kind, out)


@every_kind
def test_it_is_opened_as_what_its_manifest_names_and_as_nothing_else(kind: str, whole: Whole, tmp_path: Path) -> None:
    made = open_run(whole(kind))
    assert made is not None and made.kind == kind
    assert made.provenance["program_version"] and str(made.folder) in repr(made)
    for other in KINDS.keys() - {kind}:
        if (kind == "series") == (other == "series"):
            with pytest.raises(
                InputError, match=f"holds {KINDS[kind].what} and no {KINDS[other].noun}: choose a folder"
            ):
                opened(other, whole(kind))
    with pytest.raises(InputError, match=f"{shown(tmp_path)} holds no {KINDS[kind].noun}"):
        opened(kind, tmp_path)
    assert open_run(tmp_path) is None
    assert of_folder(whole(kind), quote=False).sections


@every_kind
def test_version_0_2_0_named_no_kind_and_is_opened_too(kind: str, copy: Whole) -> None:
    out = copy(kind)
    manifest = files.read_json(out / KINDS[kind].manifest)
    assert manifest
    del manifest["kind"]
    files.write_file(out / KINDS[kind].manifest, files.to_json(manifest))
    assert kind_in(out) == KINDS[kind]
    assert opened(kind, out).stored.keys() == open_run(out).stored.keys()


@every_kind
def test_tables_of_another_run_are_not_taken_for_its_own(kind: str, given: Makers, whole: Whole, copy: Whole) -> None:
    """Whole as they are: those of the same texts and model under another setting."""
    out, other = copy(kind), given.make(kind, given.below / "other" / kind, otherwise=True).folder
    shutil.rmtree(out / files.TABLES)
    shutil.copytree(other / files.TABLES, out / files.TABLES)
    if kind == "series":  # which has them by its steps too
        assert opened(kind, out).files() == opened(kind, whole(kind)).files()
    else:
        with pytest.raises(InputError, match="belongs to another run"):
            opened(kind, out)
    given.make(kind, out)
    assert digests(out) == digests(whole(kind))


@every_kind
def test_one_that_is_open_does_not_change_with_its_files(kind: str, whole: Whole, copy: Whole) -> None:
    out = copy(kind)
    made = opened(kind, out)
    shutil.rmtree(out)
    kept = {name: data for name, data in made.files().items() if name.endswith(".csv")}
    assert kept and kept == {name: (whole(kind) / files.TABLES / name).read_bytes() for name in kept}


@every_kind
def test_a_full_disk_ends_it_cleanly(
    kind: str, given: Makers, whole: Whole, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, written = atomic_files.write_file, iter(range(10_000))

    def full(path: Path, data: bytes) -> None:
        if path.suffix == ".parquet" and next(written) >= 3:
            raise OSError(errno.ENOSPC, "No space left on device")
        write(path, data)

    monkeypatch.setattr(atomic_files, "write_file", full)
    with pytest.raises(RunError, match="The disk is full: make room"):
        given.make(kind, tmp_path / kind)
    assert not list((tmp_path / kind).rglob("*.tmp"))
    monkeypatch.undo()
    given.make(kind, tmp_path / kind)
    assert digests(tmp_path / kind) == digests(whole(kind))


@pytest.mark.parametrize(
    "kind", quick_only(["study", "patterns", "reproduction"], "study")
)  # those that a page deletes
def test_it_is_deleted_as_far_as_its_files_prove_that_they_are_ours(kind: str, copy: Whole, tmp_path: Path) -> None:
    out = copy(kind)
    assert delete_run(out) == [] and not out.exists()
    out = copy(kind)
    shard = next(out.rglob("000000"))
    strays = [out / "notes.txt", shard / "more.txt", *(path.parent / "why.txt" for path in out.rglob("reading.json"))]
    for stray in strays:
        stray.write_text("{}", encoding="utf-8")
    if kind == "reproduction":
        theirs = shutil.copytree(next(out.glob("readings/*/*")), tmp_path / "theirs")
        (out / "readings" / "link").symlink_to(theirs, target_is_directory=True)
        strays += [out / "corpora" / "mine.json"]
        strays[-1].write_text("{}", encoding="utf-8")
    assert "notes.txt" in delete_run(out)
    assert {path for path in out.rglob("*") if path.is_file()} == set(strays)
    if kind == "reproduction":
        assert any(theirs.rglob("reading.json"))
    shutil.rmtree(out)
    out = copy(kind)
    for name in (files.MANIFEST, files.PROGRESS, files.LOCK):
        (out / name).write_text("damaged", encoding="utf-8")
    before = sorted(out.rglob("*"))
    with pytest.raises(InputError, match="Nothing in .* proves"):
        delete_run(out)
    assert sorted(out.rglob("*")) == before


def test_a_shard_in_anothers_place_and_one_too_many_are_not_counted(given: Makers, whole: Whole, copy: Whole) -> None:
    out = copy("study")
    first, second = files.shard_paths(out)[:2]
    shutil.rmtree(second)
    shutil.copytree(first, second)
    shutil.copytree(first, files.shard_path(out, 99))
    given.make("study", out)
    assert digests(out) == digests(whole("study"))


def test_progress_grows_and_ends_at_one(given: Makers, tmp_path: Path) -> None:
    said: list[Progress] = []
    given.make("study", tmp_path / "study", Workers(progress=said.append))
    assert [one.status for one in said[:2]] == ["starting", "running"]
    running = [one for one in said[2:] if one.status == "running"]  # the first says that counting begins
    assert all(a.done < b.done and a.windows < b.windows for a, b in zip(running, running[1:], strict=False))
    assert running[-1].done == 1.0 and running[0].left_seconds > 0 and "windows/s" in str(running[0])
    assert read_progress(tmp_path / "study") == said[-1]


def test_who_works_in_a_folder_is_read_from_progress_as_it_was_written(copy: Whole) -> None:
    study, said = copy("study"), files.to_json({"pid": 4321, "host": "here"})
    (study / files.PROGRESS).write_bytes(said.replace(b"4321", b"4322"))
    assert holder(study) is None
    (study / files.PROGRESS).write_bytes(said)
    assert holder(study) == {"pid": 4321, "host": "here"}
