"""Where the text comes from: a sample, what the user pasted, or a file."""

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from attn_core.errors import TextError
from attn_core.study.text_tables import rows_of_csv
from attn_core.texts.documents import decode, samples
from attn_core.ui.caches import readings
from attn_core.ui.choice import StudyChoice
from attn_core.ui.jobs import studies
from attn_core.ui.widgets.address import keep_among, keep_within
from attn_core.ui.widgets.escape import plain

OWN, FILE, OF_STUDY = "My own text", "A file of mine", "A text of a study"
LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pt", "pl", "ru", "ar", "he", "hi", "ja", "zh")


@dataclass(frozen=True)
class Source:
    """A text with its title and its language."""

    title: str
    text: str
    language: str


def choose_text() -> Source:
    """Widgets for the text; raises TextError where there is nothing to read yet."""
    by_title = {sample.title: sample for sample in samples()}
    own, known = [OWN, FILE], studies.finished()
    offered = [*own, *by_title, *([OF_STUDY] if known else [])]
    source = st.selectbox("Text", offered, index=len(own), key="text", bind="query-params")
    if source == OWN:
        return _own_text()
    if source == FILE:
        return _file_text()
    if source == OF_STUDY:
        return _study_text(known)
    sample = by_title[source]
    st.caption(f":material/lightbulb: {plain(sample.look_for)}")
    return Source(sample.title, sample.text, sample.language)


def _language() -> str:
    return st.selectbox(
        "Language",
        LANGUAGES,
        key="language",
        bind="query-params",
        help="Decides where sentences end. The model reads any text that it was trained for.",
    )


def _own_text() -> Source:
    text = st.text_area(
        "Paste or type a text",
        key="own_text",
        persist_state="session",
        height=180,
        placeholder="A few sentences or pages. A line of ten equals signs marks a gold segment boundary.",
    )
    st.button("Analyse", help="So does Ctrl+Enter in the text.", width="stretch", key="analyse")  # a click is a run
    language = _language()
    if not text.strip():
        raise TextError("Paste or type a text in the sidebar; pasted texts are not part of a link.")
    return Source(OWN, text, language)


def _file_text() -> Source:
    st.file_uploader(
        "A .txt, .md or .csv file", type=["txt", "md", "csv"], key="upload", on_change=_keep_upload, max_upload_size=5
    )
    language = _language()
    if "file" not in st.session_state:
        raise TextError("Choose a file in the sidebar; files are not part of a link.")
    name, data = st.session_state["file"]
    text, encoding = decode(data)
    if name.lower().endswith(".csv"):
        text = _csv_column(text)
    st.caption(f"{len(data):,} bytes, read as {encoding}")
    return Source(name, text, language)


def _study_text(known: Mapping[str, StudyChoice]) -> Source:
    names = list(known)
    keep_among("of_study", names, names[0])
    name = st.selectbox("Study", names, key="of_study", bind="query-params")
    study = readings.study(known[name])
    texts = study.provenance["texts"] + study.provenance["bad_texts"]
    keep_within("study_text", 1, texts)
    number = st.number_input(f"Text (of {texts:,})", 1, texts, key="study_text", bind="query-params")
    title, parts = readings.study_text(known[name], number - 1)
    keep_within("study_part", 1, len(parts))
    part = 1
    if len(parts) > 1:
        part = st.number_input(f"Part (of {len(parts)})", 1, len(parts), key="study_part", bind="query-params")
    st.caption(plain(title))
    return Source(title, parts[part - 1], study.manifest["settings"]["language"])


def _keep_upload() -> None:
    """An upload is forgotten when the page changes, so its bytes are kept in the session."""
    if (upload := st.session_state["upload"]) is not None:
        st.session_state["file"] = (upload.name, upload.getvalue())


def _csv_column(text: str) -> str:
    """The rows of one column as paragraphs; says how many there are."""
    try:
        rows = list(rows_of_csv(io.StringIO(text), strict=True))
    except csv.Error:
        raise TextError("This .csv file cannot be read as a table: save it as comma-separated values.") from None
    names = [name for name in rows[0] if name] if rows else []
    if not names:
        raise TextError("This .csv file has no rows under its header.")
    wordiest = max(names, key=lambda name: sum(len(row[name] or "") for row in rows))
    keep_among("column", names, wordiest)
    column = st.selectbox("Column", names, index=names.index(wordiest), key="column", persist_state="session")
    texts = [row[column] for row in rows if (row[column] or "").strip()]
    st.caption(_rows_in_words(len(texts), len(rows), _lines(text)))
    return "\n\n".join(texts)


def _lines(text: str) -> int:
    return sum(bool(line.strip()) for line in text.splitlines())


def _rows_in_words(filled: int, rows: int, lines: int) -> str:
    """What became of the lines of a table: rows with a text, without one, and lines that a quoted cell joined."""
    parts = [f"{filled:,} rows as one text, a paragraph each"]
    if filled < rows:
        parts.append(f"{rows - filled:,} without text in this column left out")
    if (joined := lines - 1 - rows) > 0:
        parts.append(f"{joined:,} lines stand inside a quoted cell and belong to the row before")
    return "; ".join(parts) + ". As texts of their own, rows are read by a study: see Corpus."
