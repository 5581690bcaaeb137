"""The contract of every kind of run: killed it goes on, damaged it is mended or refused, other files are not lost."""

import errno
import os
import shutil
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import pytest

from attn_core.errors import InputError, RunCancelled, RunError
from attn_core.interventions.runner import run_ablation
from attn_core.interventions.worker import AblationSettings
from attn_core.io.atomic_files import unfinished
from attn_core.models.files import ModelSpec
from attn_core.runs import folder as run_folder
from attn_core.runs.folder import KINDS, delete_run, is_locked, lock
from attn_core.runs.progress import Progress, read_progress
from attn_core.runs.results import Results, open_run
from attn_core.runs.run import ALONE, Workers
from attn_core.study.corpus import Corpus
from attn_core.study.opened import Study
from attn_core.study.runner import run_study
from attn_core.study.settings import StudySettings
from attn_core.study.subjects import with_baselines
from tests.quick import quick_only
from tests.study.made_up import digests, stopped_after, write_corpus


@dataclass(frozen=True)
class Makers:
    """How runs of every kind are made, of a model and four texts."""

    spec: ModelSpec
    texts: Path

    def make(self, kind: str, out: Path, workers: Workers = ALONE, otherwise: bool = False) -> Results:
        """A run of a kind in a folder, made or continued. otherwise: with another setting."""
        return getattr(self, kind)(out, workers, otherwise)

    def study(self, out: Path, workers: Workers, otherwise: bool) -> Results:
        settings = StudySettings(shard_characters=1500, batch_tokens=300, min_tokens=3 if otherwise else 2)
        subjects = with_baselines([self.spec], ["shuffled_weights"], seeds=1)
        return run_study(Corpus(str(self.texts)), subjects, out, settings, workers)

    def ablation(self, out: Path, workers: Workers, otherwise: bool) -> Results:
        settings = AblationSettings("importance", seed=int(otherwise))
        return run_ablation(Corpus(str(self.texts)), self.spec, out, settings, workers)


def flipped(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 3] ^= 4
    file.write_bytes(data)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "missing": lambda file: file.unlink(),
    "empty": lambda file: file.write_bytes(b""),
    "truncated": lambda file: file.write_bytes(file.read_bytes()[:-7]),
    "one bit flipped": flipped,
}


KINDS_MADE = ("study", "ablation")
every_kind = pytest.mark.parametrize("kind", quick_only(KINDS_MADE, "study"))
Whole = Callable[[str], Path]


@pytest.fixture(scope="module")
def given(tiny_folder: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Makers:
    texts = write_corpus(tmp_path_factory.mktemp("given") / "texts", texts=4, sentences=20)
    return Makers(ModelSpec(str(tiny_folder("bert"))), texts)


@pytest.fixture(scope="module")
def whole(given: Makers, tmp_path_factory: pytest.TempPathFactory) -> Whole:
    """The folder of a finished run of a kind: read it only."""
    made: dict[str, Path] = {}

    def of(kind: str) -> Path:
        if kind not in made:
            made[kind] = given.make(kind, tmp_path_factory.mktemp("whole") / kind).folder
        return made[kind]

    return of


@pytest.fixture
def copy(whole: Whole, tmp_path: Path) -> Whole:
    return lambda kind: Path(shutil.copytree(whole(kind), tmp_path / "copies" / kind))


def opened(kind: str, folder: Path) -> Results:
    return KINDS[kind].opener().open(folder)


def shards_of(out: Path) -> list[Path]:
    return sorted(out.rglob("shards/[0-9]*"))


@every_kind
def test_cut_off_it_goes_on_and_ends_the_same(kind: str, given: Makers, whole: Whole, tmp_path: Path) -> None:
    out = tmp_path / kind
    for _ in range(2):
        with pytest.raises(RunCancelled, match="goes on where it was"):
            given.make(kind, out, Workers(progress=stopped_after(1)))
        facts = read_progress(out)
        assert facts and facts.status == "cancelled"
    with pytest.raises(InputError, match="is not finished"):
        opened(kind, out)
    said: list[Progress] = []
    given.make(kind, out, Workers(progress=said.append))
    assert digests(out) == digests(whole(kind))
    running = [one for one in said if one.status == "running"]
    assert all(a.done <= b.done and a.windows <= b.windows for a, b in zip(running, running[1:], strict=False))
    assert running and said[-1].done == 1.0 and read_progress(out) == said[-1]


@every_kind
def test_a_finished_one_is_not_counted_again_and_opened_as_what_it_is(kind: str, given: Makers, copy: Whole) -> None:
    out, said = copy(kind), list[Progress]()
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*.parquet")}
    given.make(kind, out, Workers(progress=said.append))
    assert before and {path: path.stat().st_mtime_ns for path in out.rglob("*.parquet")} == before
    facts = read_progress(out)
    assert facts and (facts.status, facts.done) == ("finished", 1.0)
    assert [one.status for one in (said[0], said[-1])] == ["starting", "finished"]
    (out / run_folder.PROGRESS).unlink()
    assert read_progress(out).status == "finished"
    made = open_run(out)
    assert made is not None and made.kind == kind and made.provenance["program_version"] and str(out) in repr(made)
    (other,) = {*KINDS_MADE} - {kind}
    with pytest.raises(InputError, match=f"holds no {other}, as"):
        opened(other, out)
    assert open_run(out.parent) is None


@pytest.mark.parametrize("damage", quick_only(DAMAGES, *list(DAMAGES)[::2]))
def test_damage_never_becomes_a_number(damage: str, given: Makers, whole: Whole, copy: Whole) -> None:
    """A damaged shard is counted again, a changed table named, and made again; a manifest is needed."""
    turn = list(DAMAGES).index(damage)
    kind = KINDS_MADE[turn % 2]
    out = copy(kind)
    inside, tables = sorted(shards_of(out)[0].iterdir()), sorted((out / run_folder.TABLES).iterdir())
    DAMAGES[damage](inside[turn % len(inside)])
    damaged = tables[turn % len(tables)]
    DAMAGES[damage](damaged)
    with pytest.raises(InputError, match=f"{damaged.name} is missing, or not what was written") as refused:
        opened(kind, out)
    assert "\n" not in str(refused.value)
    given.make(kind, out)
    assert digests(out) == digests(whole(kind))
    if damage != "one bit flipped":
        DAMAGES[damage](out / run_folder.MANIFEST)
        before = digests(out)
        for attempt in (opened, given.make):
            with pytest.raises(InputError) as refused:
                attempt(kind, out)
            assert "\n" not in str(refused.value)
        assert digests(out) == before


@every_kind
@pytest.mark.parametrize("place", ["shard", "table"])
def test_a_folder_in_the_place_of_a_file_is_never_removed(place: str, kind: str, given: Makers, copy: Whole) -> None:
    out = copy(kind)
    before = digests(out)
    file = min((shards_of(out)[0] if place == "shard" else out / run_folder.TABLES).glob("*.parquet"))
    file.unlink()
    file.mkdir()
    (file / "mine").write_text("mine")
    for attempt in (
        lambda: given.make(kind, out),
        lambda: delete_run(out) if place == "table" else given.make(kind, out),
    ):
        with pytest.raises(InputError, match="holds other files|in the place of a table|missing"):
            attempt()
        assert (file / "mine").read_text() == "mine"
    shutil.rmtree(file)
    given.make(kind, out)
    assert digests(out) == before


def swapped(one: Path, other: Path) -> None:
    between = one.with_name("between")
    for old, new in ((one, between), (other, one), (between, other)):
        old.rename(new)


def copied(one: Path, other: Path) -> None:
    shutil.rmtree(other)
    shutil.copytree(one, other)


MIXED: dict[str, Callable[[list[Path]], object]] = {  # of the shards of a run; the last may be of another subject
    "of two subjects": lambda shards: swapped(shards[0], shards[-1]),
    "of two numbers": lambda shards: swapped(shards[0], shards[1]),
    "all of two subjects": lambda shards: swapped(shards[0].parent.parent, shards[-1].parent.parent),
    "one over another": lambda shards: copied(shards[0], shards[1]),
    "an extra one": lambda shards: shutil.copytree(shards[0], shards[0].with_name("000099")),
    "a lost one": lambda shards: shutil.rmtree(shards[1]),
    "all lost": lambda shards: shutil.rmtree(shards[0].parent),
    "flips": lambda shards: list(map(flipped, [min(shard.iterdir()) for shard in shards])),
}


@pytest.mark.parametrize("mixed", quick_only(MIXED, "of two subjects", "flips"))
@every_kind
def test_a_table_is_made_of_exactly_its_shards(
    mixed: str, kind: str, given: Makers, whole: Whole, copy: Whole, tmp_path: Path
) -> None:
    """Whether they are mixed after it was finished, or as the tables are made, no other number is left."""
    if (kind, mixed) == ("ablation", "all of two subjects"):
        pytest.skip("it has one subject")
    out = copy(kind)
    MIXED[mixed](shards_of(out))
    given.make(kind, out)
    extra = {name for name in digests(out) if "000099" in name}
    assert {name: one for name, one in digests(out).items() if name not in extra} == digests(whole(kind))

    def mix(progress: Progress) -> None:
        if progress.status == "pooling":
            MIXED[mixed](shards_of(fresh))

    fresh = tmp_path / "fresh"
    with pytest.raises(InputError, match="the same command") if not extra else nullcontext():
        given.make(kind, fresh, Workers(progress=mix))
    assert extra or not (fresh / run_folder.TABLES).exists()
    given.make(kind, fresh)
    assert {name: one for name, one in digests(fresh).items() if name not in extra} == digests(whole(kind))


@pytest.mark.parametrize("facts", quick_only(["", "{}", "[]", '{"subject": {}}', "a byte"], "{}", "a byte"))
def test_a_damaged_record_of_a_subject_is_made_again_or_refused(
    facts: str, given: Makers, whole: Whole, copy: Whole
) -> None:
    out = copy("study")
    for record in out.rglob(run_folder.RECORD):
        record.write_text(facts if facts != "a byte" else record.read_text().replace('"plain"', '"plaim"'))
    assert Study.open(out).of().heads["role"].size
    alone = with_baselines([given.spec])
    settings = StudySettings(shard_characters=1500, batch_tokens=300, min_tokens=2)
    with pytest.raises(InputError, match="is damaged|has counts of something else|in layout plaim"):
        run_study(Corpus(str(given.texts)), alone, out, settings)
    if facts != "a byte":
        given.make("study", out)
        assert digests(out) == digests(whole("study"))


OUTSIDE = "../../mine"
HOSTILE: dict[str, dict[str, object]] = {
    "a folder outside": {"tables": {OUTSIDE: "0"}},
    "an absolute path": {"tables": {"/tmp/mine.csv": "0"}},
    "a table outside": {"tables": {f"{OUTSIDE}/heads.csv": "0"}},
    "a backslash": {"tables": {"..\\mine.csv": "0"}},
    "a list": {"tables": ["heads.csv"]},
    "a number": {"tables": {"heads.csv": 3}},
    "shards outside": {"shards": {OUTSIDE: "0"}},
    "no corpus": {"corpus": ["mine"]},
}


@pytest.mark.parametrize("hostile", quick_only(HOSTILE, "a folder outside", "a list"))
@every_kind
def test_a_manifest_leads_nowhere_outside(hostile: str, kind: str, given: Makers, copy: Whole, tmp_path: Path) -> None:
    out = copy(kind)
    mine = tmp_path / "mine" / "heads.csv"
    mine.parent.mkdir()
    mine.write_text("mine")
    facts = run_folder.read_json(out / run_folder.MANIFEST) | HOSTILE[hostile]
    (out / run_folder.MANIFEST).write_bytes(run_folder.to_json(facts))
    before = digests(out)
    for attempt in (opened, given.make, lambda _, out: delete_run(out), lambda _, out: open_run(out)):
        with pytest.raises(InputError, match="is damaged, or of another program") as refused:
            attempt(kind, out)
        assert "\n" not in str(refused.value)
    assert mine.read_text() == "mine" and digests(out) == before
    assert read_progress(out)


@pytest.mark.parametrize(
    "name",
    quick_only(["progress.json", "lock", "log.txt", "tables", "shards", run_folder.RECORD], "progress.json", "lock"),
)
@every_kind
def test_links_are_refused_and_lead_nowhere(name: str, kind: str, given: Makers, copy: Whole, tmp_path: Path) -> None:
    out = copy(kind)
    mine, found = tmp_path / "mine", [*out.rglob(name)]
    if found and found[0].is_dir():
        shutil.move(found[0], mine)
        kept = digests(mine)
    else:
        mine.write_text("mine")
        for file in found:
            file.unlink()
    link = found[0] if found else out / name
    link.symlink_to(mine)
    for attempt in (lambda: given.make(kind, out), lambda: delete_run(out)):
        with pytest.raises(InputError, match="is a link, a pipe or a device|holds other files"):
            attempt()
    assert not is_locked(out) and link.is_symlink()
    assert digests(mine) == kept if mine.is_dir() else mine.read_text() == "mine"


@every_kind
def test_what_has_changed_is_refused(kind: str, given: Makers, whole: Whole, copy: Whole) -> None:
    out = copy(kind)
    with pytest.raises(RunError, match="another setting: (min_tokens = 2, now 3|seed = 0, now 1)"):
        given.make(kind, out, otherwise=True)
    manifest = run_folder.read_json(out / run_folder.MANIFEST)
    assert manifest and manifest["kind"] == kind
    changes = {
        "another program: version = 0.0": {"program": {"version": "0.0"}},
        "another version of the software: torch = 1.0": {"software": manifest["software"] | {"torch": "1.0"}},
        "of another version of this program": {"format": f"{kind} 0"},
    }
    for says, change in changes.items():
        run_folder.write_file(out / run_folder.MANIFEST, run_folder.to_json(manifest | change))
        with pytest.raises(RunError, match=says):
            given.make(kind, out)
    with pytest.raises(InputError, match="of another version of this program: run it again, in a new folder"):
        opened(kind, out)
    run_folder.write_file(out / run_folder.MANIFEST, run_folder.to_json(manifest))
    given.make(kind, out)
    assert digests(out) == digests(whole(kind))


@pytest.mark.parametrize("name", ["notes.txt", "tables/heads.csv", "lock", "progress.json", "manifest.json"])
def test_a_folder_of_somebody_else_is_left_as_it_is(name: str, given: Makers, tmp_path: Path) -> None:
    (tmp_path / "out" / name).parent.mkdir(parents=True)
    (tmp_path / "out" / name).write_text('{"name": "mine"}')
    with pytest.raises(InputError, match="holds files|of another program"):
        given.make("study", tmp_path / "out")
    with pytest.raises(InputError, match="has no manifest of a run|of another program"):
        delete_run(tmp_path / "out")
    assert [path.name for path in (tmp_path / "out").iterdir()] == [name.split("/")[0]]
    assert (tmp_path / "out" / name).read_text() == '{"name": "mine"}'


@every_kind
def test_a_second_process_is_refused_and_a_dead_one_does_not_count(kind: str, given: Makers, copy: Whole) -> None:
    out = copy(kind)
    with lock(out):
        assert is_locked(out)
        with pytest.raises(InputError, match="is in use"):
            given.make(kind, out)
        with pytest.raises(InputError, match="at work"):
            delete_run(out)
    assert not is_locked(out)
    given.make(kind, out)


@every_kind
def test_a_full_disk_ends_it_cleanly(
    kind: str, given: Makers, whole: Whole, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, written = run_folder.write_file, iter(range(10_000))

    def full(path: Path, data: bytes, private: bool = False) -> None:
        if path.suffix == ".parquet" and next(written) >= 4:
            raise OSError(errno.ENOSPC, "No space left on device")
        write(path, data, private)

    monkeypatch.setattr(run_folder, "write_file", full)
    with pytest.raises(RunError, match="The disk is full: make room"):
        given.make(kind, tmp_path / kind)
    assert not list((tmp_path / kind).rglob("*.tmp"))
    monkeypatch.undo()
    given.make(kind, tmp_path / kind)
    assert digests(tmp_path / kind) == digests(whole(kind))


@every_kind
def test_it_is_deleted_whole_or_not_at_all(kind: str, copy: Whole, tmp_path: Path) -> None:
    out = copy(kind)
    before, mine = digests(out), tmp_path / "mine"
    mine.write_text("mine")
    others = ("notes.txt", "tables/mine.csv", "figures/1.parquet", "notes/log.txt", "link")
    for stray in (*map(out.joinpath, others), shards_of(out)[0] / "more.txt"):
        stray.parent.mkdir(exist_ok=True)
        stray.symlink_to(mine) if stray.name == "link" else stray.write_text("mine", encoding="utf-8")
        with pytest.raises(InputError, match=f"holds other files \\({stray.relative_to(out)}\\): move them"):
            delete_run(out)
        assert {*digests(out)} == {*before, str(stray.relative_to(out))}
        stray.unlink()
    assert digests(out) == before
    delete_run(out)
    assert not out.exists() and mine.read_text() == "mine"


def test_a_file_that_comes_during_a_deletion_stays(copy: Whole, monkeypatch: pytest.MonkeyPatch) -> None:
    late = copy("study") / "tables/late.csv"
    monkeypatch.setattr(run_folder, "_is_of_run", lambda *_: late.write_text("mine"))  # after the files are listed
    with pytest.raises(OSError, match="not empty"):
        delete_run(late.parents[1])
    assert late.read_text() == "mine"


def test_leftovers_are_told_from_hidden_files_of_others(copy: Whole, given: Makers, tmp_path: Path) -> None:
    out = copy("study")
    theirs = [out / ".mine.tmp", out / "notes" / ".x.1-2.tmp"]
    half = unfinished(shards_of(out)[0])
    half.mkdir()
    for path in (*theirs, half / "windows.parquet", unfinished(out / run_folder.TABLES / "heads.csv")):
        path.parent.mkdir(exist_ok=True)
        path.write_text("half")
    given.make("study", out)
    assert not half.exists() and all(path.exists() for path in theirs)
    assert not os.path.lexists(unfinished(out / run_folder.TABLES / "heads.csv"))
    first = unfinished(tmp_path / "killed at once" / run_folder.MANIFEST)
    first.parent.mkdir()
    first.touch()
    given.make("study", first.parent)
    assert not first.exists()
