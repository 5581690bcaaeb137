"""Every text once, in order; one that cannot be read keeps its number and its reason, and stops no other."""

import bz2
import gzip
import json
import lzma
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attn_core.errors import InputError
from attn_core.study import text_files, text_tables
from attn_core.study.corpus import Corpus, Documents, cut, shards
from attn_core.texts.documents import ASSUMED

TEXTS = ["The tide rose.", "Zwei Sätze. Über alles.", "A third, with a comma and a “quote”."]
OPENERS = {".xz": lzma.open, ".gz": gzip.open, ".bz2": bz2.open}
plain_text = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=60).filter(str.strip)


def contents(corpus: Corpus) -> list[str | None]:
    return [text.text for text in corpus.texts()]


@pytest.mark.parametrize("packed", ["", *OPENERS])
@pytest.mark.parametrize("kind", ["parquet", "csv", "jsonl", "txt"])
def test_every_kind_of_file_gives_the_same_texts(tmp_path: Path, kind: str, packed: str) -> None:
    table, path = pd.DataFrame({"text": TEXTS, "id": [1, 2, 3]}), tmp_path / f"a.{kind}{packed}"
    if kind == "parquet":
        path = tmp_path / "a.parquet"
        table.to_parquet(path)
    else:
        content = {
            "csv": table.to_csv(index=False),
            "jsonl": table.to_json(orient="records", lines=True),
            "txt": "\n\n\n  \n".join(TEXTS),
        }
        with OPENERS.get(packed, open)(path, "wt", encoding="utf-8-sig") as file:
            file.write(content[kind])
    corpus = Corpus(str(path), documents="blank-line")
    assert [text.strip() for text in contents(corpus) if text] == TEXTS
    first, step = {"parquet": (1, 1), "csv": (2, 1), "jsonl": (1, 1), "txt": (1, 4)}[kind]
    assert [text.name for text in corpus.texts()] == [f"{path.name}:{first + step * at}" for at in range(3)]


def test_a_folder_is_read_in_the_order_of_its_names_and_a_glob_finds_less(tmp_path: Path) -> None:
    for name in ("b/2.txt", "a/9.md", "b/1.txt", "skipped.pdf", ".cache/a.txt", "._b.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "again").symlink_to(tmp_path)
    assert contents(Corpus(str(tmp_path))) == ["a/9.md", "b/1.txt", "b/2.txt"]
    assert Corpus(str(tmp_path)).left_out == "Files of other kinds are left out: 1 .pdf."
    for glob in ("b/*.txt", "b/**", "**/[1-8].*"):
        assert contents(Corpus(str(tmp_path / glob))) == ["b/1.txt", "b/2.txt"]
    assert contents(Corpus(str(tmp_path / "**/b/1.txt"))) == ["b/1.txt"]
    assert contents(Corpus(str(tmp_path), limit=2)) == ["a/9.md", "b/1.txt"]
    with pytest.raises(InputError, match="There is no text at"):
        _ = Corpus(str(tmp_path / "nowhere" / "*.txt")).files


@pytest.mark.parametrize("column", [None, "text"])
def test_rows_without_a_text_hide_no_column(tmp_path: Path, column: str | None) -> None:
    rows = [{"title": "A", "text": None}] * 25 + [{"title": "B", "text": "The tide rose."}]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    corpus = Corpus(str(tmp_path), column)
    corpus.check()
    assert contents(corpus) == [None] * 25 + ["The tide rose."]


def test_a_text_that_cannot_be_read_keeps_its_place_and_says_why(tmp_path: Path) -> None:
    (tmp_path / "1.txt").write_bytes(b"\x00\x01\x02 binary \xff\xfe")
    (tmp_path / "2.jsonl").write_text(
        '{"text": "Good."}\nno json\n{"other": "x"}\n[1]\n{"text": 7}\n{"text": "\\ud800"}\n'
    )
    pd.DataFrame({"text": ["Good.", None]}).to_parquet(tmp_path / "3.parquet")
    (tmp_path / "4.csv").write_bytes(b"text,b\nGood.,1\n\xfa\xfb,2\nshort\nnot, in, quotes\nlast,\n")
    (tmp_path / "5.csv").write_bytes(b'text,b\nGood.,1\n"open,2\nmore,3\n')
    (tmp_path / "6.csv").write_bytes("text,b\nGood.,1\n".encode("utf-16"))
    (tmp_path / "7.parquet").write_bytes((tmp_path / "3.parquet").read_bytes()[:-9])
    (tmp_path / "8.txt").write_text("Last.")
    corpus = Corpus(str(tmp_path))
    corpus.check()
    assert [(text.name, text.text or str(text.problem).split(":")[0]) for text in corpus.texts()] == [
        ("1.txt", "undecodable"), ("2.jsonl:1", "Good."), ("2.jsonl:2", "unreadable"), ("2.jsonl:3", "empty"),
        ("2.jsonl:4", "unreadable"), ("2.jsonl:5", "empty"), ("2.jsonl:6", "?"), ("3.parquet:1", "Good."),
        ("3.parquet:2", "empty"), ("4.csv:2", "Good."), ("4.csv:3", "úû"), ("4.csv:4", "short"),
        ("4.csv:5", "unreadable"), ("4.csv:6", "last"), ("5.csv:2", "Good."), ("5.csv:3", "unreadable"),
        ("5.csv:4", "more"), ("6.csv", "unreadable"), ("7.parquet", "unreadable"), ("8.txt", "Last."),
    ]  # fmt: skip
    assert [text.number for text in corpus.texts()] == list(range(20))
    (tmp_path / "7.parquet").unlink()
    assert [text.problem for text in corpus.texts()][-2:] == [
        "unreadable: 7.parquet cannot be read: No such file or directory.", None
    ]  # fmt: skip
    assert corpus.size and corpus.fingerprint()
    for name, content in {"bad.conllu": "1\tword\n", "bad.tsv": "a\tb\n1\t2\n"}.items():
        (tmp_path / name).write_text(content)
        (text,) = Corpus(str(tmp_path / name)).texts()
        assert text.text is None and text.problem


@pytest.mark.parametrize(
    ("name", "content", "column", "says"),
    [
        ("a.csv", b"body,id\nx,1\n", None, "no column 'text'"),
        ("a.csv", b"text,id\nx,1\n", "body", r"no column 'body': name its column of texts \(it has text, id\)"),
        ("a.parquet", b"no parquet", None, "a.parquet is damaged or cut short"),
        ("a.csv", "text\nx".encode("utf-16"), None, "UTF-16: save it as UTF-8"),
        ("a.pdf", b"\0\0", None, "cannot be read as texts"),
        ("a.csv", b"text,label,text\nA,b,C\n", None, "two columns have the name 'text'"),
        ("a.csv", b'"text" x,b\nA,b\n', None, "no names of columns in row 1"),
        ("a.jsonl", b'[{"text": "A."}]\n', None, "one JSON object on each line"),
        ("a.jsonl", b'{\n "text": "A."\n}\n', None, "one JSON object on each line"),
    ],
)
def test_what_is_no_corpus_is_refused(tmp_path: Path, name: str, content: bytes, column: str | None, says: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=says):
        Corpus(str(tmp_path / name), column).check()


@pytest.mark.parametrize(("separator", "end"), [(",", "\n"), (";", "\r\n"), ("\t", "\r"), ("|", "\n")])
def test_a_table_finds_its_separator_in_its_header(tmp_path: Path, separator: str, end: str) -> None:
    rows = [["text", "label"], ['"One, two; ""three""|\t."', "1"], [], ['it was 5" long', "2"]]
    (tmp_path / "a.csv").write_bytes(end.join(map(separator.join, rows)).encode("utf-8-sig"))
    assert contents(Corpus(str(tmp_path / "a.csv"))) == ['One, two; "three"|\t.', 'it was 5" long']


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        ("a.csv", b'id,text\n1,One.\n2,"Two?" he asked.\n3,Three.\n', [":2 One.", ":3 unreadable", ":4 Three."]),
        ("a.csv", b'id, text\n1, "One, and."\n', [":2 One, and."]),
        ("a.csv", b"One here.\nTwo here.\n", [":1 One here.", ":2 Two here."]),
        ("a.csv", b'"text, or"\nOne.\n', [":2 One."]),
        ("a.csv", b'"te\nxt";"b,c,d"\n"One; a, b, c";x\nTwo, a, b;y\n', [":2 One; a, b, c", ":3 Two, a, b"]),
        ("a.csv", b"text,b\nCaf\xe9.,1\nTh\xc3\xa9.,2\n", [":2 Café.", ":3 Thé."]),
        ("a.jsonl", b'{"text": "Caf\xe9."}\n', [":1 Café."]),
        ("a.jsonl", b'{"text": "Rose \\ud83d"}\n{"text": "\\ud83d\\ude00"}\n', [":1 Rose ?", ":2 😀"]),
        ("a.jsonl", b'{"text": "One.", "text": "Two."}\n{"text": "Three."}\n', [":1 unreadable", ":2 Three."]),
        ("a.txt", b"One.\rTwo.\r\nThree.\n", [":1 One.\r", ":2 Two.\r\n", ":3 Three.\n"]),
    ],
)
def test_texts_are_read_as_people_write_them(tmp_path: Path, name: str, content: bytes, found: list[str]) -> None:
    (tmp_path / name).write_bytes(content)
    column = "te\nxt" if b"te\nxt" in content else None
    texts = list(Corpus(str(tmp_path), column, documents="line").texts())
    texts_or_problems = [one.text or str(one.problem).split(":")[0] for one in texts]
    assert [
        f"{one.name.removeprefix(name)} {text}" for one, text in zip(texts, texts_or_problems, strict=True)
    ] == found
    assert [one.encoding for one in texts if one.encoding] == [ASSUMED] * (b"Caf\xe9" in content)


@pytest.mark.parametrize("documents", ["file", "line", "blank-line"])
def test_a_text_is_not_read_beyond_its_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, documents: Documents
) -> None:
    monkeypatch.setattr(text_files, "MAX_TEXT_BYTES", 1000)
    with gzip.open(tmp_path / "a.txt.gz", "wt") as file:
        file.write("x" * 3_000_000)
    tracemalloc.start()
    try:
        (text,) = Corpus(str(tmp_path), documents=documents).texts()
        assert "has a text of more than 0.001 MB" in str(text.problem)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.csv", b"text\n" + b"x" * 2000, "has a text of more than 0.001 MB in line 2"),
        ("a.jsonl", b'{"text": "Good."}\n{"text": "' + b"x" * 2000, "has a text of more than 0.001 MB in line 2"),
        ("a.jsonl", b'{"text": "Good."}\n{"text": [' + b"[]," * 300 + b"0]}", "more than 200 values on a line"),
        ("a.jsonl", b'{"text": "Good."}\n' + b"\n" * 9000, "unpacks to more than 20 times its size"),
        ("a.txt", b"Good.\n" * 9000, "unpacks to more than 20 times its size"),
        ("a.parquet", b"", "as Parquet is already inside"),
    ],
)
def test_what_a_small_file_may_become_is_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: bytes, says: str
) -> None:
    monkeypatch.setattr(text_files, "MAX_TEXT_BYTES", 1000)
    monkeypatch.setattr(text_tables, "MAX_ROW_BYTES", 1000)
    monkeypatch.setattr(text_tables, "MAX_VALUES", 200)
    with gzip.open(tmp_path / f"{name}.gz", "wb") as file:
        file.write(content)
    *_, last = Corpus(str(tmp_path), documents="line").texts()
    assert says in str(last.problem)


@pytest.mark.parametrize("rows", [b"more,3\n", b'b",x,"a\n'])  # a quote that each row closes, and opens again
def test_a_quote_that_is_never_closed_loses_no_later_row_in_linear_time(
    rows: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_tables, "MAX_ROW_BYTES", 4000)
    number = 4001
    (tmp_path / "a.csv").write_bytes(b'text,b\nGood.,1\n"open,2\n' + rows * number)
    decoded = Mock(wraps=text_tables.decoded)
    monkeypatch.setattr(text_tables, "decoded", decoded)
    _, bad, *later = Corpus(str(tmp_path)).texts()
    assert bad.name == "a.csv:3" and "a quote is opened and never closed" in str(bad.problem)
    assert decoded.call_count < 3 * number
    if rows == b"more,3\n":
        assert [one.text for one in later] == ["more"] * number
    else:
        assert "so that no later row can be read" in str(later[-1].problem)


@pytest.mark.parametrize("options", [{}, {"use_dictionary": False, "column_encoding": {"text": "DELTA_BYTE_ARRAY"}}])
def test_cells_of_parquet_are_in_memory_one_after_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any]
) -> None:
    pq.write_table(pa.table({"text": ["x" * 1_000_000] * 100, "list": [[1]] * 100}), tmp_path / "a.parquet", **options)
    corpus, before = Corpus(str(tmp_path)), pa.total_allocated_bytes()
    assert corpus.columns == ("text",)
    assert max(pa.total_allocated_bytes() - before for text in corpus.texts() if text.text) < 10_000_000
    monkeypatch.setattr(text_files, "MAX_TEXT_BYTES", 1000)
    (text,) = corpus.texts()
    assert "unpacks to more than 20 times" in str(text.problem)


@pytest.mark.parametrize("name", [f"a{kind}{suffix}" for kind in (".txt", ".jsonl", ".csv") for suffix in OPENERS])
def test_a_damaged_archive_is_said_of_what_is_missing(tmp_path: Path, name: str) -> None:
    lines = "text\n" + "\n".join(json.dumps({"text": f"Text {number}."}) for number in range(5000))
    with OPENERS[Path(name).suffix](tmp_path / name, "wt") as file:
        file.write(lines)
    data = bytearray((tmp_path / name).read_bytes())
    (tmp_path / name).write_bytes(data[: len(data) // 2])
    (tmp_path / "b.txt").write_text("Last.")
    *_, damaged, last = Corpus(str(tmp_path), documents="line").texts()
    assert (damaged.problem or "").startswith(f"unreadable: {name} is damaged or cut short") and last.text == "Last."


CHOICES = {"column": "x", "documents": "line", "limit": 3, "groups": "folder"}


@pytest.mark.parametrize(
    ("change", "options"),
    [
        (lambda folder: (folder / "a.txt").write_text("Two."), {}),
        (lambda folder: (folder / "a.txt").rename(folder / "b.txt"), {}),
        (lambda folder: (folder / "b.txt").write_text("Two."), {}),
        *((lambda _: None, {name: value}) for name, value in CHOICES.items()),
    ],
)
def test_the_fingerprint_notices_what_counts_and_not_where_the_folder_lies(
    tmp_path: Path, change: Callable[[Path], object], options: dict[str, Any]
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
        (folder / "a.txt").write_text("One.")
    before = Corpus(str(here)).fingerprint()
    assert Corpus(str(there)).fingerprint() == before
    change(there)
    assert Corpus(str(there), **options).fingerprint() != before


def test_a_folder_or_a_file_name_tells_the_group(tmp_path: Path) -> None:
    for name in ("emma/page 1.txt", "emma/page 2.txt", "ulysses/page 1.txt", "ulysses/page 12.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("The tide rose.")
    for groups, expected in ((None, [0, 1, 2, 3]), ("folder", [0, 0, 1, 1]), (r"page (\d)", [0, 1, 0, 0])):
        assert [text.group for text in Corpus(str(tmp_path), groups=groups).texts()] == expected
    for groups, says in (("book (.)", "finds no group"), ("(", "no regular expression")):
        with pytest.raises(InputError, match=says):
            Corpus(str(tmp_path), groups=groups).check()


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet"])
def test_a_column_tells_the_group_and_an_empty_cell_none(tmp_path: Path, kind: str) -> None:
    (folder := tmp_path / "a\udcffb").mkdir()  # whose name is no UTF-8
    table = pd.DataFrame({"text": list("abcde"), "book": pd.array([0, None, 0, None, 8], "Int64")})
    with (folder / f"one.{kind}").open("wb") as file:
        writes = {"jsonl": table.to_json, "csv": table.to_csv, "parquet": table.to_parquet}
        writes[kind](file, **({"orient": "records", "lines": True} if kind == "jsonl" else {}))
    corpus = Corpus(str(folder), "text", groups="book")
    corpus.check()
    assert [text.group for text in corpus.texts()] == [0, 1, 0, 2, 3]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(plain_text, min_size=1, max_size=12), characters=st.integers(20, 200))
def test_shards_hold_every_text_once_and_in_order(tmp_path: Path, texts: list[str], characters: int) -> None:
    lines = [json.dumps({"text": text}) for text in texts]
    (tmp_path / "a.jsonl").write_text("\n".join(lines), encoding="utf-8")
    made = list(shards(Corpus(str(tmp_path / "a.jsonl")).texts(), characters))
    pieces = [piece for shard in made for piece in shard.pieces]
    assert [shard.number for shard in made] == list(range(len(made)))
    together = ["".join(piece.text or "" for piece in pieces if piece.number == number) for number in range(len(texts))]
    assert together == texts
    assert [(piece.number, piece.part) for piece in pieces] == sorted((piece.number, piece.part) for piece in pieces)
    assert made[-1].done == 1.0


@given(text=st.text(max_size=400), characters=st.integers(1, 80))
def test_a_cut_loses_nothing_and_no_part_is_too_long(text: str, characters: int) -> None:
    parts = cut(text, characters)
    assert "".join(parts) == text
    assert all(len(part) <= characters for part in parts)
    assert all(parts) or text == ""
    assert characters < 20 or 2 * min(map(len, parts)) >= max(map(len, parts))


def test_a_text_fills_a_shard_by_64_characters_whatever_its_length(tmp_path: Path) -> None:
    (tmp_path / "short.txt").write_text("x\n" * 45, encoding="utf-8")
    made = shards(Corpus(str(tmp_path / "short.txt"), documents="line").texts(), characters=1300)
    assert [len(shard.pieces) for shard in made] == [20, 20, 5]  # 20 x (64 + 1) characters
