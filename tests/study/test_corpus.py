"""Readers: every text once, in order, whatever the file; what cannot be read keeps its number and its reason."""

import bz2
import gzip
import json
import lzma
import tracemalloc
import zlib
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attn_core.errors import InputError
from attn_core.study import file_search, text_files
from attn_core.study.corpus import Corpus
from attn_core.study.plan import cut, shards

TEXTS = ["The tide rose.", "Zwei Sätze. Über alles.", "A third, with a comma and a “quote”."]
plain_text = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=60).filter(str.strip)


def contents(corpus: Corpus) -> list[str | None]:
    return [text.text for text in corpus.texts()]


def write_all_kinds(folder: Path) -> None:
    pd.DataFrame({"id": [1, 2, 3], "text": TEXTS}).to_parquet(folder / "a.parquet")
    pd.DataFrame({"id": [1, 2, 3], "text": TEXTS}).to_csv(folder / "a.csv", index=False)
    (folder / "a.jsonl").write_text("\n".join(json.dumps({"id": 1, "text": text}) for text in TEXTS), encoding="utf-8")
    (folder / "a.txt").write_text("\n\n".join(TEXTS), encoding="utf-8")


@pytest.mark.parametrize("name", ["a.parquet", "a.csv", "a.jsonl", "a.txt"])
def test_every_kind_of_file_gives_the_same_texts(tmp_path: Path, name: str) -> None:
    write_all_kinds(tmp_path)
    read = [text.strip() for text in contents(Corpus(str(tmp_path / name), documents="blank-line")) if text]
    assert read == TEXTS


@pytest.mark.parametrize(("suffix", "opener"), [(".xz", lzma.open), (".gz", gzip.open), (".bz2", bz2.open)])
def test_packed_files_are_read_as_they_are(tmp_path: Path, suffix: str, opener) -> None:
    with opener(tmp_path / f"a.txt{suffix}", "wt", encoding="utf-8") as file:
        file.write("One.\nOne still.\n\n\n  \nTwo.\n")
    texts = list(Corpus(str(tmp_path / f"a.txt{suffix}"), documents="blank-line").texts())
    assert [text.text for text in texts] == ["One.\nOne still.\n", "Two.\n"]
    assert [text.name for text in texts] == [f"a.txt{suffix}:1", f"a.txt{suffix}:6"]
    with opener(tmp_path / f"b.csv{suffix}", "wt", encoding="utf-8") as file:
        file.write('text,id\n"One.\nOne still.",1\nTwo.,2\n')
    table = Corpus(str(tmp_path / f"b.csv{suffix}"))
    assert table.columns == ("text", "id")
    assert contents(table) == ["One.\nOne still.", "Two."]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.txt"])
def test_utf16_is_read_in_every_kind_of_file(tmp_path: Path, name: str, encoding: str) -> None:
    write_all_kinds(tmp_path)
    text = (tmp_path / name).read_text(encoding="utf-8")
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    (tmp_path / name).write_bytes((mark + text).encode(encoding))
    read = [text.strip() for text in contents(Corpus(str(tmp_path / name), documents="blank-line")) if text]
    assert read == TEXTS


@pytest.mark.parametrize("kind", [pa.dictionary(pa.int32(), pa.string()), pa.string_view(), pa.large_string()])
def test_every_way_to_keep_text_in_parquet_is_read(tmp_path: Path, kind: pa.DataType) -> None:
    pq.write_table(pa.table({"id": [1, 2, 3], "text": pa.array(TEXTS).cast(kind)}), tmp_path / "a.parquet")
    assert contents(Corpus(str(tmp_path / "a.parquet"))) == TEXTS


def test_a_folder_is_read_in_the_order_of_its_names_and_a_glob_finds_less(tmp_path: Path) -> None:
    for name in ("b/2.txt", "a/9.md", "b/1.txt", "skipped.pdf"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    assert contents(Corpus(str(tmp_path))) == ["a/9.md", "b/1.txt", "b/2.txt"]
    assert contents(Corpus(str(tmp_path / "*" / "*.txt"))) == ["b/1.txt", "b/2.txt"]
    assert contents(Corpus(str(tmp_path / "**" / "[1-8].*"))) == ["b/1.txt", "b/2.txt"]
    assert contents(Corpus(str(tmp_path / "**" / "b" / "1.txt"))) == ["b/1.txt"]
    assert contents(Corpus(str(tmp_path / "**" / "**" / "*.txt"))) == ["b/1.txt", "b/2.txt"]
    assert contents(Corpus(str(tmp_path), limit=2)) == ["a/9.md", "b/1.txt"]


def test_rows_without_a_text_hide_no_column(tmp_path: Path) -> None:
    rows = [{"title": "A", "text": None}] * 25 + [{"title": "B", "text": "The tide rose."}]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    for column in (None, "text"):
        corpus = Corpus(str(tmp_path), column)
        corpus.check()
        assert [text.text for text in corpus.texts()] == [None] * 25 + ["The tide rose."]


def test_lines_are_texts_when_asked(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("One.\n\nTwo.\nThree.")
    assert contents(Corpus(str(tmp_path / "a.txt"), documents="line")) == ["One.\n", "Two.\n", "Three."]


def test_a_text_that_cannot_be_read_keeps_its_place_and_says_why(tmp_path: Path) -> None:
    (tmp_path / "1.txt").write_bytes(b"\x00\x01\x02 binary \xff\xfe")
    (tmp_path / "2.jsonl").write_text(
        '{"text": "Good."}\nno json\n{"other": "x"}\n[1]\n{"text": 7}\n{"text": "\\ud800"}\n'
    )
    pd.DataFrame({"text": ["Good.", None]}).to_parquet(tmp_path / "3.parquet")
    (tmp_path / "4.csv").write_bytes(b"text,b\nGood.,1\n\xff\xfe\xfa,2\nshort\n")
    read = [(text.number, text.name, text.text, text.problem) for text in Corpus(str(tmp_path)).texts()]
    assert [text for *_, text, _ in read if text] == ["Good.", "Good.", "Good.", "short"]
    reasons = [(name, problem.split(":")[0]) for _, name, _, problem in read if problem]
    assert reasons == [
        ("1.txt", "undecodable"), ("2.jsonl:2", "unreadable"), ("2.jsonl:3", "empty"), ("2.jsonl:4", "empty"),
        ("2.jsonl:5", "empty"), ("2.jsonl:6", "undecodable"), ("3.parquet:2", "empty"), ("4.csv:3", "undecodable"),
    ]  # fmt: skip
    assert [number for number, *_ in read] == list(range(len(read)))


@pytest.mark.parametrize(
    ("name", "content", "column", "says"),
    [
        ("a.csv", b"body,id\nx,1\n", None, "no text column 'text'"),
        ("a.csv", b"text,id\nx,1\n", "body", "no text column 'body'"),
        ("a.csv", b'id,text\n1,"left open\n' + b"2,x\n" * 50, None, "EOF inside string starting at row 1"),
        (
            "a.csv",
            b'text,id\n"fine\nso far, ""yes""",0\n"open,1\n"so, it is",2\n',
            None,
            "Expected 2 fields in line 3, saw 3",
        ),
        ("a.csv", b'id,"text\n1,x\n', None, "EOF inside string starting at row 0"),
        ("a.csv", b"id,text\n1,One, two and three.\n", None, "more cells in a row than columns"),
        ("a.parquet", b"no parquet", None, "cannot be read as Parquet"),
        ("a.pdf", b"%PDF", None, "cannot be read as texts"),
        ("a.txt.xz", lzma.compress(b"One.\n\nTwo.\n" * 9999)[:-40], None, "damaged or cut short"),
    ],
)
def test_a_file_that_cannot_be_a_corpus_gets_one_sentence(
    tmp_path: Path, name: str, content: bytes, column: str | None, says: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=says):
        list(Corpus(str(tmp_path / name), column, "blank-line").texts())


def test_cells_in_quotes_go_over_lines(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b'text,,\r\n"One,\r\n\r\n""two"".",1,\r\n\r\nit was 5" long\r\n')
    assert contents(Corpus(str(tmp_path / "a.csv"))) == ['One,\r\n\r\n"two".', 'it was 5" long']


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_table_finds_its_separator_in_its_header(tmp_path: Path, separator: str, encoding: str) -> None:
    rows = [["text", "label"], ['"One, two; three."', "1"], ["Four.", "2"]]
    (tmp_path / "a.csv").write_bytes("\r\n".join(map(separator.join, rows)).encode(encoding))
    assert contents(Corpus(str(tmp_path / "a.csv"))) == ["One, two; three.", "Four."]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.txt"])
def test_a_line_without_end_is_not_read_into_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, encoding: str
) -> None:
    monkeypatch.setattr(text_files, "MAX_TEXT_BYTES", 1000)
    with (gzip.open if name.endswith(".gz") else open)(tmp_path / name, "wt", encoding=encoding) as file:
        file.write('{"text": "One."}\n' + "x" * 3_000_000)
    corpus = Corpus(str(tmp_path / name), "text" if "jsonl" in name else None, documents="line")
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=f"The text at line 2 of {name} is longer than 64 MB: break it"):
            list(corpus.texts())
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


def test_a_block_without_end_is_refused_at_its_first_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_files, "MAX_TEXT_BYTES", 1000)
    (tmp_path / "a.txt").write_text("One.\n\n" + "Two.\n" * 1000)
    texts = Corpus(str(tmp_path / "a.txt"), documents="blank-line").texts()
    assert next(texts).text == "One.\n"
    with pytest.raises(InputError, match="The text at line 3 of a.txt is longer than 64 MB"):
        next(texts)


def test_hidden_files_and_links_in_a_circle_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / ".cache").mkdir()
    (tmp_path / ".cache" / "a.txt").write_text("Hidden.")
    (tmp_path / "._b.txt").write_text("Hidden.")
    (tmp_path / "again").symlink_to(tmp_path)
    (tmp_path / "c.txt").write_text("Seen.")
    assert contents(Corpus(str(tmp_path))) == contents(Corpus(str(tmp_path / "**" / "*.txt"))) == ["Seen."]


@pytest.mark.parametrize("pattern", ["", "**/*.nothing", "*/*/*"])
def test_a_search_does_not_walk_the_whole_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pattern: str) -> None:
    for number in range(12):
        (tmp_path / f"{number}" / "x").mkdir(parents=True)
        (tmp_path / f"{number}" / "x" / "a.txt").write_text("One.")
    monkeypatch.setattr(file_search, "MAX_ENTRIES", 20)
    with pytest.raises(InputError, match="There are more than 20 files and folders at .*: name a folder closer"):
        _ = Corpus(str(tmp_path / pattern)).files


@pytest.mark.parametrize("pattern", ["", "**/*", "**/*.txt", "**/**/*.txt"])
def test_a_search_counts_what_it_looks_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pattern: str) -> None:
    (tmp_path / "below").mkdir()
    for number in range(10):
        (tmp_path / "below" / f"{number}.txt").write_text("One.")
    monkeypatch.setattr(file_search, "MAX_ENTRIES", 11)
    assert len(Corpus(str(tmp_path / pattern)).files) == 10


def test_broken_utf8_in_parquet_is_a_bad_text(tmp_path: Path) -> None:
    broken = pa.array([b"Good.", b"\xff\xfe"], pa.binary())
    text = pa.Array.from_buffers(pa.string(), 2, broken.buffers())
    pq.write_table(pa.table({"text": text}), tmp_path / "a.parquet")
    read = [(text.text, text.problem) for text in Corpus(str(tmp_path / "a.parquet")).texts()]
    assert read == [("Good.", None), (None, "undecodable: the bytes are no text")]


def damaged(name: str) -> bytes:
    """A packed file with bytes changed so that its unpacking fails in the library's own way."""
    lines = "\n".join(json.dumps({"text": f"Text {number}."}) for number in range(5000)).encode()
    pack = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}[Path(name).suffix]
    data = bytearray(pack(lines))
    data[10:40] = b"\xaa" * 30
    return bytes(data)


@pytest.mark.parametrize(
    "name", ["a.txt.gz", "a.jsonl.gz", "a.txt.bz2", "a.jsonl.bz2", "a.txt.xz", "a.csv.gz", "a.csv.bz2", "a.csv.xz"]
)
def test_a_damaged_archive_is_said(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(damaged(name))
    if name == "a.txt.gz":
        with pytest.raises(zlib.error):
            gzip.decompress(damaged(name))
    for documents in ("file", "line", "blank-line"):
        corpus = Corpus(str(tmp_path / name), documents=documents)
        if documents == "file" and ".txt" in name:
            (text,) = corpus.texts()
            assert text.problem.startswith("unreadable: ")
        else:
            with pytest.raises(InputError, match=f"{name} is damaged or cut short"):
                list(corpus.texts())


def test_a_damaged_page_of_parquet_is_said(tmp_path: Path) -> None:
    pd.DataFrame({"text": TEXTS}).to_parquet(tmp_path / "a.parquet")
    data = bytearray((tmp_path / "a.parquet").read_bytes())
    data[10] ^= 0x55
    (tmp_path / "a.parquet").write_bytes(data)
    with pytest.raises(InputError, match="a.parquet cannot be read as Parquet"):
        list(Corpus(str(tmp_path / "a.parquet")).texts())


def test_nothing_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="There is no text at"):
        _ = Corpus(str(tmp_path / "nowhere" / "*.txt")).files


@pytest.mark.parametrize("change", ["content", "name", "new", "column", "documents", "limit"])
def test_the_fingerprint_notices(tmp_path: Path, change: str) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "a.txt").write_text("One.")
    before = Corpus(str(folder)).fingerprint()
    assert Corpus(str(folder)).fingerprint() == before
    options: dict = {"column": "x"} if change == "column" else {"documents": "line"} if change == "documents" else {}
    options |= {"limit": 3} if change == "limit" else {}
    if change == "content":
        (folder / "a.txt").write_text("Two.")
    elif change == "name":
        (folder / "a.txt").rename(folder / "b.txt")
    elif change == "new":
        (folder / "b.txt").write_text("Two.")
    assert Corpus(str(folder), **options).fingerprint() != before


def test_the_fingerprint_does_not_care_where_the_folder_lies(tmp_path: Path) -> None:
    for place in ("here", "there"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "a.txt").write_text("One.")
    assert Corpus(str(tmp_path / "here")).fingerprint() == Corpus(str(tmp_path / "there")).fingerprint()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(plain_text, min_size=1, max_size=12), characters=st.integers(20, 200))
def test_shards_hold_every_text_once_and_in_order(tmp_path: Path, texts: list[str], characters: int) -> None:
    lines = [json.dumps({"text": text}) for text in texts]
    (tmp_path / "a.jsonl").write_text("\n".join(lines), encoding="utf-8")
    made = list(shards(Corpus(str(tmp_path / "a.jsonl")), characters))
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
