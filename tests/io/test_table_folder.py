"""Tables go into a new or empty folder or, to overwrite, one of ours; what is not ours is never replaced or deleted."""

import errno
from pathlib import Path

import pytest

from attn_core.errors import InputError
from attn_core.io.exports import PROVENANCE, checked_provenance, table_files, write_tables

OLD = table_files({}, {"share": 0.01}) | {"heads.csv": b"old", "pairs.csv": b"old"}
NEW = table_files({}, {"share": 0.05}) | {"heads.csv": b"new"}


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


@pytest.fixture
def ours(tmp_path: Path) -> Path:
    write_tables(OLD, tmp_path / "ours")
    return tmp_path / "ours"


def test_a_new_and_an_empty_folder_are_filled(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for folder in (tmp_path / "new" / "below", tmp_path / "empty"):
        write_tables(OLD, folder)
        assert contents(folder).keys() == OLD.keys()
        assert checked_provenance(folder)["files"].keys() == OLD.keys() - {PROVENANCE}


def test_ours_is_replaced_where_that_is_asked_for(ours: Path) -> None:
    before = contents(ours)
    with pytest.raises(InputError, match="--overwrite"):
        write_tables(NEW, ours)
    assert contents(ours) == before
    write_tables(NEW, ours, overwrite=True)
    assert contents(ours).keys() == {"heads.csv", PROVENANCE}
    assert (ours / "heads.csv").read_bytes() == b"new" and checked_provenance(ours)["share"] == 0.05


@pytest.mark.parametrize(
    "theirs",
    [
        {"heads.csv": "mine"},
        {PROVENANCE: "{}"},
        {PROVENANCE: '["attn-core"]'},
        {PROVENANCE: '{"program": "another", "files": {"heads.csv": ""}}', "heads.csv": "mine"},
        {PROVENANCE: '{"program": "attn-core"}', "checksums.json": "{}"},  # the tables of a study
        {PROVENANCE: '{"program": "attn-core", "files": {"heads.csv": ""}}', "heads.csv": "old", "notes.txt": "mine"},
    ],
)
@pytest.mark.parametrize("overwrite", [False, True])
def test_a_folder_with_files_of_others_is_refused(theirs: dict[str, str], overwrite: bool, tmp_path: Path) -> None:
    for name, text in theirs.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match="choose an empty folder"):
        write_tables(NEW, tmp_path, overwrite)
    assert contents(tmp_path) == {name: text.encode() for name, text in theirs.items()}


def test_a_link_in_the_place_of_a_table_is_refused(ours: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("mine")
    (ours / "heads.csv").unlink()
    (ours / "heads.csv").symlink_to(tmp_path / "mine.csv")
    with pytest.raises(InputError, match="holds other files .heads.csv."):
        write_tables(NEW, ours, overwrite=True)
    assert (ours / "heads.csv").is_symlink() and (tmp_path / "mine.csv").read_text() == "mine"


def test_nothing_outside_the_folder_is_deleted(ours: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("mine")
    named = (ours / PROVENANCE).read_text().replace('"pairs.csv"', '"../mine.csv"')
    (ours / PROVENANCE).write_text(named)
    before = contents(ours)
    with pytest.raises(InputError, match="holds other files"):  # a provenance that the program does not write
        write_tables(NEW, ours, overwrite=True)
    assert (tmp_path / "mine.csv").read_text() == "mine" and contents(ours) == before


@pytest.mark.parametrize("moment", range(3))
def test_cut_off_between_two_files_they_are_not_taken_for_whole(
    moment: int, ours: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new, replace, moments = NEW | {"new.csv": b"new"}, Path.replace, iter(range(10))

    def killed(path: Path, target: Path) -> Path:
        if path.parent.parent == ours and next(moments) == moment:
            raise KeyboardInterrupt
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        write_tables(new, ours, overwrite=True)
    monkeypatch.undo()
    with pytest.raises(InputError, match="is missing, or not what was written"):
        checked_provenance(ours)
    write_tables(new, ours, overwrite=True)
    assert contents(ours).keys() == new.keys() and checked_provenance(ours)["share"] == 0.05


def test_without_room_the_old_tables_stay(ours: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, write = contents(ours), Path.write_bytes

    def full(path: Path, data: bytes) -> int:
        if path.name == PROVENANCE:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(path, data)

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match="No space"):
        write_tables(NEW, ours, overwrite=True)
    assert contents(ours) == before
