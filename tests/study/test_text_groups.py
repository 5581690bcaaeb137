"""Groups of texts: what tells them, and that intervals draw them."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from attn_core.errors import InputError
from attn_core.study.corpus import Corpus


def of(folder: Path, groups: str | None = None, **how: str) -> list[int]:
    return [text.group for text in Corpus(str(folder), groups=groups, **how).texts()]  # type: ignore[arg-type]


@pytest.fixture
def books(tmp_path: Path) -> Path:
    for name in ("emma/page 1.txt", "emma/page 2.txt", "ulysses/page 1.txt", "ulysses/page 12.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("The tide rose.")
    return tmp_path


def test_texts_without_groups_stand_alone(books: Path) -> None:
    assert of(books) == [0, 1, 2, 3]


def test_a_folder_or_a_file_name_tells_the_group(books: Path) -> None:
    assert of(books, "folder") == [0, 0, 1, 1]
    assert of(books, r"page (\d)") == [0, 1, 0, 0]


@pytest.mark.parametrize(
    ("groups", "told"), [("page", "tells no group"), ("book (.)", "tells no group"), ("(", "no regular expression")]
)
def test_an_expression_that_tells_nothing_is_refused_before_anything_is_counted(
    books: Path, groups: str, told: str
) -> None:
    with pytest.raises(InputError, match=told):
        Corpus(str(books), groups=groups).check()


def test_a_column_tells_the_group_and_an_empty_cell_none(tmp_path: Path) -> None:
    cells = [("a", 7), ("b", None), ("c", 7), ("d", None), ("e", 8)]
    rows = [{"text": f"The tide {text}.", "book": book} for text, book in cells]
    (tmp_path / "one.jsonl").write_text("\n\n".join(map(json.dumps, rows)))
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "one.parquet")
    (tmp_path / "one.csv").write_text(
        "text,book\n" + "\n".join(f"{row['text']},{row['book'] or ''}" for row in rows), encoding="utf-8"
    )
    for kind in ("jsonl", "parquet", "csv"):
        assert of(tmp_path / f"one.{kind}", "book", column="text") == [0, 1, 0, 2, 3], kind


def test_groups_are_part_of_what_a_corpus_is(books: Path) -> None:
    plain, grouped = Corpus(str(books)), Corpus(str(books), groups="folder")
    assert plain.fingerprint() != grouped.fingerprint()


def test_files_that_differ_by_a_number_are_asked_about(books: Path, tmp_path: Path) -> None:
    assert "page 1.txt and page 2.txt" in Corpus(str(books)).asks
    assert not Corpus(str(books), groups="folder").asks
    assert not Corpus(str(books / "emma" / "page 1.txt")).asks


@pytest.mark.parametrize(
    ("names", "asked"), [(("emma 1.txt", "emma 2.txt"), True), (("1.txt", "2.txt"), False), (("a.txt", "b.txt"), False)]
)
def test_files_that_share_a_name_but_for_a_number_are_asked_about(
    tmp_path: Path, names: tuple[str, str], asked: bool
) -> None:
    for name in names:
        (tmp_path / name).write_text("The tide rose.")
    assert ("differ by a number alone" in Corpus(str(tmp_path)).asks) == asked
    assert not Corpus(str(tmp_path), groups="folder").asks


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet"])
def test_tables_in_a_folder_whose_name_is_no_utf8_are_read(kind: str, tmp_path: Path) -> None:
    (folder := tmp_path / "a\udcffb").mkdir()
    with (folder / f"t.{kind}").open("wb") as file:
        if kind == "parquet":
            pq.write_table(pa.table({"text": ["The tide rose."], "book": ["x"]}), file)
        elif kind == "csv":
            file.write(b"text,book\nThe tide rose.,x\n")
        else:
            file.write(b'{"text": "The tide rose.", "book": "x"}')
    corpus = Corpus(str(folder), "text", groups="book")
    corpus.check()
    assert [text.text for text in corpus.texts()] == ["The tide rose."] and corpus.fingerprint()
