"""Where the text comes from: a sample, what the user pasted, or a file.

What was pasted or uploaded is kept (`own_texts`), and shown from there: its name stands in the address.
"""

import io
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import streamlit as st

from attn_core.errors import InputError, TextError
from attn_core.io import disk_cache
from attn_core.io.csv_rows import CsvRows
from attn_core.models.files import BERT, MINILM, OLD_BERT, default_spec
from attn_core.texts import own_texts
from attn_core.texts.documents import MAX_CHARACTERS, check_length, decode, samples
from attn_core.texts.languages import AUTO, NAMES, UNKNOWN, language_of
from attn_core.texts.own_texts import OwnText
from attn_core.ui.caches import in_folders
from attn_core.ui.choice import StudyChoice
from attn_core.ui.runs.kinds import OF_STUDY, finished_studies
from attn_core.ui.widgets.address import PAGE, READABLE, Values, chosen
from attn_core.ui.widgets.controls import number_input, one_of
from attn_core.ui.widgets.escape import plain
from attn_core.ui.widgets.uploads import Upload

OWN, FILE, MINE = "My own text", "A file of mine", "My texts"
NAMES_OF_TEXTS = ("mine", "text-b")  # choices that name a text of the user's
IN_AREA = "own_text_of"  # in the session: the link of the text that stands in the text area
UNCLEAR = "The text does not show its language: sentences end as in English, unless you name one."
OF_ENGLISH = (MINILM, BERT, OLD_BERT)  # models that were trained on English alone


@dataclass(frozen=True)
class Source:
    """A text with its title and its language."""

    title: str
    text: str
    language: str


def choose_text() -> Source:
    """Widgets for the text; raises TextError where there is nothing to read yet."""
    by_title = {sample.title: sample for sample in samples()}
    mine, studies_here = own_texts.linked(), finished_studies()
    own = [OWN, FILE, *([MINE] if mine or chosen("text") == MINE else [])]
    offered = [*own, *by_title, *([OF_STUDY] if studies_here else [])]
    source = st.selectbox("Text", offered, index=len(own), key="text", bind="query-params", on_change=_take_latest)
    if source != MINE:
        st.session_state.setdefault("mine", None)  # Streamlit writes into the address only what the session knew before
    if source not in (OWN, MINE):
        hold_area("own_text", shown=False)
    if source == OWN:
        return _new_text()
    if source == FILE:
        return _file_text()
    if source == MINE:
        return _kept_text(mine)
    if source == OF_STUDY:
        return _study_text(studies_here)
    sample = by_title[source]
    return Source(sample.title, sample.text, sample.language)


def _language() -> Callable[[str], str]:
    """A widget for the language of a text; returns what tells that of the text once it is read, and says so."""
    asked = one_of(
        "Language",
        [AUTO, *NAMES],
        "language",
        help="Decides where sentences end; auto is what the text looks like. What is chosen holds for this text alone.",
    )
    place = st.empty()

    def found(text: str) -> str:
        language = language_of(text) if asked == AUTO else asked
        said = []
        if asked == AUTO and text.strip():
            said.append(f"The text looks {NAMES[language]}." if language in NAMES else UNCLEAR)
        if language not in ("en", UNKNOWN) and (chosen("model") or default_spec().name) in OF_ENGLISH:
            said.append("The model was trained on English alone.")
        place.caption(" ".join(said))
        return language

    return found


def present_names(asked: Values) -> Values:
    """What an address asks for, where a text of the user's that was renamed has the name that it has now."""
    named = {choice: own_texts.find(asked[choice][-1]) for choice in NAMES_OF_TEXTS if asked.get(choice)}
    return asked | {choice: [own.link] for choice, own in named.items() if own}


def _forget_language() -> None:
    """What was set by hand belongs to the text that it was set for."""
    st.session_state["language"] = AUTO


def _new_text() -> Source:
    if st.session_state.get(IN_AREA) is not None:
        _put_into_area(None, "")
    text = _text_area()
    language = _language()
    say_what_is_kept()
    if not text.strip():
        raise TextError("Paste or type a text in the sidebar.")
    return Source(OWN, text, language(text))


def _text_area() -> str:
    hold_area("own_text")
    text = st.text_area(
        "Paste or type a text",
        key="own_text",
        persist_state="session",
        on_change=_keep_pasted,
        height=180,
        placeholder="A few sentences or pages. A line of ten equals signs marks a gold segment boundary.",
    )
    st.button("Analyse", help="So does Ctrl+Enter in the text.", width="stretch", key="analyse")  # a click is a run
    return text


def hold_area(key: str, shown: bool = True) -> None:
    """Put the text of a text area into it on another page: Streamlit keeps the text, and shows an empty area there."""
    page, on = st.session_state.get(PAGE), f"{key}_on"  # the page whose last run had the area
    if not shown:
        st.session_state.pop(on, None)
    elif st.session_state.get(on) != page:
        st.session_state[on], st.session_state[key] = page, st.session_state.get(key, "")


def _put_into_area(name: str | None, text: str) -> None:
    st.session_state[IN_AREA], st.session_state["own_text"] = name, text


def _keep_pasted() -> None:
    """An edited text is a new one; where it cannot be kept, it stays in the text area for this session."""
    text = st.session_state["own_text"]
    st.session_state["text"], st.session_state[IN_AREA] = OWN, None
    if text.strip():
        _keep(text, own_texts.name_from(text))


def _keep(text: str, name: str, is_table: bool = False, origin: str = "") -> None:
    """Keep a text and choose it, where texts are kept."""
    _forget_language()
    with saying_why("The text could not be kept on this machine"):
        if own := own_texts.keep(text, name, is_table, origin):
            st.session_state["text"], st.session_state["mine"] = MINE, own.link


def say_what_is_kept() -> None:
    """Whether a new text outlives the session."""
    if own_texts.folder() is None:
        st.caption(
            f":material/info: Nothing is kept ({disk_cache.VARIABLE} is off): your text lives in this session only."
        )
    else:
        st.caption(f"It is kept on this machine, under *{MINE}*, until you delete it there.")


def _file_text() -> Source:
    st.file_uploader(
        "A .txt, .md or .csv file",
        key="upload",
        on_change=_keep_upload,
        max_upload_size=5,
        help=f"At most 5 MB, and at most {MAX_CHARACTERS:,} characters of text: a study reads longer ones (see Corpus).",
    )
    language = _language()
    say_what_is_kept()
    if "file" not in st.session_state:
        raise TextError("Choose a file in the sidebar.")
    file = st.session_state["file"]
    text, origin = _decoded(file)
    if _is_table(file.name):
        text = _csv_column(text)
    st.caption(f"**{plain(file.name)}**: {origin}")
    return Source(file.name, text, language(text))


def _keep_upload() -> None:
    """An upload is forgotten when the page changes: where it is no text that can be kept, its bytes are, in the session."""
    if (upload := st.session_state["upload"]) is None:
        return
    file = st.session_state["file"] = Upload.of(upload)
    with suppress(InputError):  # the page says what is wrong with it
        text, origin = _decoded(file)
        check_length(text)
        if _is_table(file.name):
            _rows_of(text)
        _keep(text, file.name, _is_table(file.name), origin)


def _decoded(file: Upload) -> tuple[str, str]:
    """The text of a file, and how it was read."""
    text, encoding = decode(file.data, file.name)
    return text, f"{len(file.data):,} bytes, read as {encoding}"


def _is_table(name: str) -> bool:
    return name.lower().endswith(".csv")


def _kept_text(known: Mapping[str, OwnText]) -> Source:
    asked = chosen("mine")
    link = st.selectbox(
        MINE, list(known), index=None, key="mine", bind="query-params", placeholder="Choose one of your texts",
        on_change=_forget_language,
    )  # fmt: skip
    text_place = st.container()
    language = _language()
    _offer_to_delete(known, known.get(link or ""))
    if link is None:
        raise TextError(f"{_missing(asked, known)} one under {MINE} in the sidebar.")
    own = known[link]
    text = own_texts.read(own)
    with text_place:
        if own.is_table:
            text = _csv_column(text)
        else:
            if st.session_state.get(IN_AREA) != link:
                _put_into_area(link, text)
            text = _text_area()
        if own.origin:
            st.caption(own.origin)
    return Source(own.name, text, language(text))


def _missing(asked: str, known: Mapping[str, OwnText]) -> str:
    """Why no text of the user's is shown, to be followed by what to do."""
    if not asked:
        return "Choose"
    named, _, _ = asked.rpartition(" · ")
    another = " (one that has its name is another text)" if any(own.name == named for own in known.values()) else ""
    return f"There is no text “{plain(asked[:READABLE])}” among yours on this machine{another}: choose"


def _take_latest() -> None:
    """The list begins with the text that was kept last."""
    _forget_language()
    if st.session_state["text"] == MINE and st.session_state.get("mine") is None:
        st.session_state["mine"] = next(iter(own_texts.linked()), None)


def _offer_to_delete(known: Mapping[str, OwnText], own: OwnText | None) -> None:
    left, right = st.columns(2)
    if own:
        with left.popover("Rename, delete", width="stretch"):
            st.session_state["mine_name"] = own.name
            st.text_input("Name", key="mine_name", max_chars=2 * own_texts.LONGEST_NAME, on_change=_rename, args=(own,))
            st.button("Delete this text", key="delete-mine", icon=":material/delete:", on_click=_delete, args=(own,))
    if known:
        with right.popover("Forget all", width="stretch"):
            st.markdown(
                f"{len(known):,} {'text' if len(known) == 1 else 'texts'} of yours, and nothing that lies elsewhere."
            )
            st.button("Delete all my texts", key="delete-all-mine", icon=":material/delete_sweep:", on_click=_delete)


def _rename(own: OwnText) -> None:
    with saying_why("The text keeps its name"):
        if (name := st.session_state["mine_name"]).strip():
            new = own_texts.rename(own, name).link
            st.session_state.update({each: new for each in NAMES_OF_TEXTS if st.session_state.get(each) == own.link})


def _delete(own: OwnText | None = None) -> None:
    """Delete one text, or all, and show the next one, or a sample."""
    with saying_why("It could not be deleted"):
        if own:
            own_texts.delete(own)
        else:
            own_texts.delete_all()
    _put_into_area(None, "")
    st.session_state["mine"] = next(iter(own_texts.linked()), None)
    if st.session_state["mine"] is None:
        st.session_state["text"] = samples()[0].title


@contextmanager
def saying_why(failure: str) -> Iterator[None]:
    """Say what a full disk or a folder that cannot be written has hindered."""
    try:
        yield
    except OSError as error:
        st.toast(f"{failure}: {plain(error.strerror or error)}.", icon=":material/warning:", duration="long")


def _study_text(known: Mapping[str, StudyChoice]) -> Source:
    names = list(known)
    name = one_of("Study", names, "of_study")
    study = in_folders.study(known[name])
    texts = study.provenance["texts"] + study.provenance["bad_texts"]
    number = number_input(f"Text (of {texts:,})", 1, texts, key="study_text")
    title, parts = in_folders.study_text(known[name], number - 1)
    part = number_input(f"Part (of {len(parts)})", 1, len(parts), key="study_part") if len(parts) > 1 else 1
    st.caption(plain(title))
    return Source(title, parts[part - 1], study.manifest["settings"]["language"])


def _csv_column(text: str) -> str:
    """The rows of one column as paragraphs; says how many there are."""
    names, rows = _rows_of(text)
    wordiest = max(names, key=lambda name: sum(len(row[name] or "") for row in rows))
    column = one_of("Column", names, "column", wordiest)
    texts = [cell for row in rows if (cell := row[column] or "").strip()]
    lines = sum(bool(line.strip()) for line in text.splitlines())
    st.caption(_rows_in_words(len(texts), len(rows), lines))
    return "\n\n".join(texts)


def _rows_of(text: str) -> tuple[list[str], list[Mapping[str, str | None]]]:
    """The columns that have a name, and the rows of a table. Raises InputError for one that would be misread."""
    table = CsvRows(io.StringIO(text, newline=""), "This .csv file")
    names, rows = [name for name in table.names if name], [row for _, row in table]
    if not names or not rows:
        raise TextError("This .csv file has no rows under its header.")
    return names, rows


def _rows_in_words(filled: int, rows: int, lines: int) -> str:
    """What became of the lines of a table: rows with a text, without one, and lines that a quoted cell joined."""
    parts = [f"{filled:,} rows as one text, a paragraph each"]
    if filled < rows:
        parts.append(f"{rows - filled:,} without text in this column left out")
    if (joined := lines - 1 - rows) > 0:
        parts.append(f"{joined:,} lines stand inside a quoted cell and belong to the row before")
    return "; ".join(parts) + ". As texts of their own, rows are read by a study: see Corpus."
