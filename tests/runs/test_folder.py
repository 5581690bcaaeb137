"""The folder of a study keeps what somebody else has put there, whatever is written, replaced or removed around it."""

from pathlib import Path

import pytest

from attn_core.errors import InputError
from attn_core.io.atomic_files import unfinished
from attn_core.runs import folder as files
from attn_core.runs.ownership import delete_run, others_in, read_command, refuse_others


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_folder_that_is_replaced_keeps_what_others_have_put_there(tmp_path: Path) -> None:
    files.write_folder(tmp_path / "tables", {"a.csv": b"1", "old.csv": b"1"})
    (tmp_path / "tables" / "notes").mkdir()
    (tmp_path / "tables" / "notes" / "one.txt").write_text("mine")
    (tmp_path / "tables" / "notes.txt").write_text("mine")
    files.write_folder(tmp_path / "tables", {"a.csv": b"2"})
    assert files.read_folder(tmp_path / "tables") == {"a.csv": b"2"}
    kept = contents(tmp_path)
    del kept["tables/checksums.json"]
    assert kept == {"tables/a.csv": b"2", "tables/notes/one.txt": b"mine", "tables/notes.txt": b"mine"}


def test_a_folder_of_others_in_the_place_of_a_file_is_refused_and_an_empty_one_goes(tmp_path: Path) -> None:
    (tmp_path / "tables" / "a.csv" / "inside").mkdir(parents=True)
    files.write_folder(tmp_path / "tables", {"a.csv": b"1"})
    (tmp_path / "b.json" / "inside").mkdir(parents=True)
    files.write_file(tmp_path / "b.json", b"{}")
    for name in ("tables/c.csv", "d.json"):
        (tmp_path / name / "inside").mkdir(parents=True)
        (tmp_path / name / "inside" / "one.txt").write_text("mine")
    before = contents(tmp_path)
    with pytest.raises(InputError, match="c.csv is a folder, where a file belongs"):
        files.write_folder(tmp_path / "tables", {"c.csv": b"1"})
    with pytest.raises(InputError, match="d.json is a folder, where a file belongs"):
        files.write_file(tmp_path / "d.json", b"1")
    assert contents(tmp_path) == before


def test_a_link_is_removed_itself_and_never_followed(tmp_path: Path) -> None:
    far = tmp_path / "far"
    files.write_folder(far / "tables", {"a.csv": b"1"})
    (far / "tables" / "notes.txt").write_text("mine")
    study = tmp_path / "study"
    files.write_file(study / files.MANIFEST, files.to_json({"format": 6}))
    for name in (files.TABLES, files.SHARDS):
        (study / name).symlink_to(far / files.TABLES)
    files.write_folder(study / files.EXAMPLES, {"examples.parquet": b"1"})
    (study / files.EXAMPLES / "examples.parquet").unlink()
    (study / files.EXAMPLES / "examples.parquet").symlink_to(far / "tables" / "notes.txt")
    before = contents(far)
    assert delete_run(study) == []
    assert not study.exists()
    assert contents(far) == before


def test_only_what_the_checksums_name_is_removed(tmp_path: Path) -> None:
    files.write_folder(tmp_path / "tables", {"a.csv": b"1"})
    (tmp_path / "tables" / files.CHECKSUMS).write_text('{"folder": "tables", "files": {"a.csv": "0"}}')  # not signed
    before = contents(tmp_path)
    assert not files.remove_folder(tmp_path / "tables")
    assert contents(tmp_path) == before
    assert files.others_in(tmp_path / "tables") == ["a.csv", files.CHECKSUMS]


def test_leftovers_are_told_from_hidden_files_of_others(tmp_path: Path) -> None:
    theirs = {".mine.tmp": "1", ".backup.old/one.txt": "1", "shards/.thesis.1-2.tmp": "1", ".notes.old": "1"}
    for name, content in theirs.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    files.write_folder(tmp_path / ".tables.old", {"a.csv": b"1"})
    unfinished(tmp_path / "x.json").write_text("half")
    half = unfinished(tmp_path / files.SHARDS / "000000")
    half.mkdir()
    unfinished(half / "windows.parquet").write_text("half")
    files.clear_leftovers(tmp_path)
    assert {name: data.decode() for name, data in contents(tmp_path).items() if "tables" not in name} == theirs
    assert (tmp_path / "tables" / "a.csv").read_bytes() == b"1"  # what was not replaced yet
    assert not half.exists()


@pytest.mark.parametrize("name", [files.MANIFEST, files.PROGRESS, files.COMMAND, files.LOG, files.LOCK])
def test_a_folder_with_a_file_of_another_program_that_is_called_as_ours_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text('{"subcommand": "study", "command": ["texts"]}')
    with pytest.raises(InputError, match="another program|holds other files"):
        refuse_others(tmp_path)
    with pytest.raises(InputError, match="proves that this program wrote it"):
        delete_run(tmp_path)
    assert others_in(tmp_path) == [name]


@pytest.mark.parametrize(
    ("told", "ours"),
    [
        ({"subcommand": "study", "command": ["texts"]}, True),
        ({"subcommand": "cache", "command": ["--empty"]}, False),
        ({"subcommand": "study", "command": []}, False),
        ({"subcommand": "study", "command": "texts"}, False),
        ({"subcommand": "study", "command": [1]}, False),
    ],
)
def test_a_study_that_failed_before_its_manifest_is_known_by_its_command(
    tmp_path: Path, told: dict, ours: bool
) -> None:
    study = tmp_path / "study"
    files.write_file(study / files.COMMAND, files.to_json(told))
    (study / files.LOG).write_text("Traceback")
    assert (read_command(study) is not None) is ours
    if ours:
        assert delete_run(study) == []
    else:
        with pytest.raises(InputError, match="by hand"):
            delete_run(study)
    assert study.exists() is not ours
