"""Damage to any file of a run: it is mended or refused, and never becomes a number; nothing leads out of the folder."""

import shutil
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import pytest

from attn_core.errors import InputError
from attn_core.runs import folder as run_folder
from attn_core.runs.folder import delete_run, is_locked
from attn_core.runs.progress import Progress, read_progress
from attn_core.runs.results import open_run
from attn_core.runs.run import Workers
from attn_core.study.corpus import Corpus
from attn_core.study.opened import Study
from attn_core.study.runner import run_study
from attn_core.study.settings import StudySettings
from attn_core.study.subjects import with_baselines
from tests.quick import quick_only
from tests.runs.conftest import KINDS_MADE, Runs, refuse, shards_of
from tests.study.made_up import digests


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


@pytest.mark.parametrize("damage", quick_only(DAMAGES, *list(DAMAGES)[::2]))
def test_damage_never_becomes_a_number(damage: str, made: Callable[..., Runs], tmp_path: Path) -> None:
    """A damaged shard is counted again, a changed table named, and made again; a manifest is needed."""
    turn = list(DAMAGES).index(damage)
    runs = made(KINDS_MADE[turn % 2], tmp_path)
    out = runs.copy()
    inside, tables = sorted(shards_of(out)[0].iterdir()), sorted((out / run_folder.TABLES).iterdir())
    DAMAGES[damage](inside[turn % len(inside)])
    damaged = tables[turn % len(tables)]
    DAMAGES[damage](damaged)
    refuse(f"{damaged.name} is missing, or not what was written", lambda: runs.open(out))
    runs.make(out)
    assert runs.is_whole(out)
    if damage != "one bit flipped":
        DAMAGES[damage](out / run_folder.MANIFEST)
        before = digests(out)
        refuse(".", lambda: runs.open(out), lambda: runs.make(out))
        assert digests(out) == before


@pytest.mark.parametrize("place", ["shard", "table"])
def test_a_folder_in_the_place_of_a_file_is_never_removed(place: str, runs: Runs) -> None:
    out = runs.copy()
    file = min((shards_of(out)[0] if place == "shard" else out / run_folder.TABLES).glob("*.parquet"))
    file.unlink()
    file.mkdir()
    (file / "mine").write_text("mine")
    attempts = [partial(runs.make, out), *([partial(delete_run, out)] if place == "table" else [])]
    refuse("holds other files|in the place of a table|missing", *attempts)
    assert (file / "mine").read_text() == "mine"
    shutil.rmtree(file)
    runs.make(out)
    assert runs.is_whole(out)


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
def test_a_table_is_made_of_exactly_its_shards(mixed: str, runs: Runs, tmp_path: Path) -> None:
    """Whether they are mixed after it was finished, or as the tables are made, no other number is left."""
    if (runs.kind, mixed) == ("ablation", "all of two subjects"):
        pytest.skip("it has one subject")

    def is_whole(out: Path) -> bool:
        return {name: one for name, one in digests(out).items() if "000099" not in name} == digests(runs.whole)

    out, fresh = runs.copy(), tmp_path / "fresh"
    MIXED[mixed](shards_of(out))
    runs.make(out)
    assert is_whole(out)

    def mix(progress: Progress) -> None:
        if progress.status == "pooling":
            MIXED[mixed](shards_of(fresh))

    is_extra = mixed == "an extra one"
    with nullcontext() if is_extra else pytest.raises(InputError, match="the same command"):
        runs.make(fresh, Workers(progress=mix))
    assert is_extra or not (fresh / run_folder.TABLES).exists()
    runs.make(fresh)
    assert is_whole(fresh)


@pytest.mark.parametrize("facts", quick_only(["", "{}", "[]", '{"subject": {}}', "a byte"], "{}", "a byte"))
def test_a_damaged_record_of_a_subject_is_made_again_or_refused(facts: str, studies: Runs) -> None:
    out = studies.copy()
    for record in out.rglob(run_folder.RECORD):
        record.write_text(facts if facts != "a byte" else record.read_text().replace('"plain"', '"plaim"'))
    assert Study.open(out).of().heads["role"].size
    settings = StudySettings(shard_characters=1500, batch_tokens=300, min_tokens=2)
    with pytest.raises(InputError, match="is damaged|has counts of something else|in layout plaim"):
        run_study(Corpus(str(studies.texts)), with_baselines([studies.spec]), out, settings)
    if facts != "a byte":
        studies.make(out)
        assert studies.is_whole(out)


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
def test_a_manifest_leads_nowhere_outside(hostile: str, runs: Runs, tmp_path: Path) -> None:
    out = runs.copy()
    mine = tmp_path / "mine" / "heads.csv"
    mine.parent.mkdir()
    mine.write_text("mine")
    facts = run_folder.read_json(out / run_folder.MANIFEST) | HOSTILE[hostile]
    (out / run_folder.MANIFEST).write_bytes(run_folder.to_json(facts))
    before = digests(out)
    attempts = (partial(attempt, out) for attempt in (runs.open, runs.make, delete_run, open_run))
    refuse("is damaged, or of another program", *attempts)
    assert mine.read_text() == "mine" and digests(out) == before
    assert read_progress(out)


@pytest.mark.parametrize(
    "name",
    quick_only(["progress.json", "lock", "log.txt", "tables", "shards", run_folder.RECORD], "progress.json", "lock"),
)
def test_links_are_refused_and_lead_nowhere(name: str, runs: Runs, tmp_path: Path) -> None:
    out = runs.copy()
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
    refuse("is a link, a pipe or a device|holds other files", lambda: runs.make(out), lambda: delete_run(out))
    assert not is_locked(out) and link.is_symlink()
    assert digests(mine) == kept if mine.is_dir() else mine.read_text() == "mine"
