"""Where the text comes from: a sample, what the user pasted, or a file.

What was pasted or uploaded is kept (`own_texts`), and shown from there: its link stands in the address.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import streamlit as st

from attn_core.errors import InputError, TextError
from attn_core.models.files import BERT, MINILM, OLD_BERT, default_spec
from attn_core.texts import own_texts
from attn_core.texts.documents import MAX_CHARACTERS, check_length, decode, samples
from attn_core.texts.languages import AUTO, NAMES, UNKNOWN, language_of
from attn_core.texts.own_texts import OwnText
from attn_core.ui.widgets.controls import chosen, one_of
from attn_core.ui.widgets.escape import plain
from attn_core.ui.widgets.uploads import Upload

OWN, FILE, MINE = "My own text", "A file of mine", "My texts"
IN_AREA = "own_text_of"  # in the session: the link of the text that stands in the text area
READ_AS = "own_texts_read_as"  # in the session: by link how the file of a text was read
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
    mine = own_texts.every()
    own = [OWN, FILE, *([MINE] if mine or chosen("text") == MINE else [])]
    offered = [*own, *by_title]
    source = st.selectbox("Text", offered, index=len(own), key="text", bind="query-params", on_change=_take_latest)
    if source != MINE:
        st.session_state.setdefault("mine", None)  # Streamlit writes into the address only what the session knew before
    if source == OWN:
        return _new_text()
    if source == FILE:
        return _file_text()
    if source == MINE:
        return _kept_text(mine)
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


def _put_into_area(name: str | None, text: str) -> None:
    st.session_state[IN_AREA], st.session_state["own_text"] = name, text


def _keep_pasted() -> None:
    """An edited text is a new one; where it cannot be kept, it stays in the text area for this session."""
    text = st.session_state["own_text"]
    st.session_state["text"], st.session_state[IN_AREA] = OWN, None
    if text.strip():
        _keep(text)


def _keep(text: str, read_as: str = "") -> None:
    """Keep a text and choose it. read_as: how its file was read."""
    _forget_language()
    with saying_why("The text could not be kept on this machine"):
        own = own_texts.keep(text)
        st.session_state["text"], st.session_state["mine"] = MINE, own.link
        st.session_state.setdefault(READ_AS, {})[own.link] = read_as


def say_what_is_kept() -> None:
    """Say where a new text goes."""
    st.caption(f"It is kept on this machine, under *{MINE}*, until you delete it there.")


def _file_text() -> Source:
    st.file_uploader(
        "A .txt or .md file",
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
    text, read_as = _decoded(file)
    st.caption(f"**{plain(file.name)}**: {read_as}")
    return Source(file.name, text, language(text))


def _keep_upload() -> None:
    """An upload is forgotten when the page changes: where it is no text that can be kept, its bytes are, in the session."""
    if (upload := st.session_state["upload"]) is None:
        return
    file = st.session_state["file"] = Upload.of(upload)
    with suppress(InputError):  # the page says what is wrong with it
        text, read_as = _decoded(file)
        check_length(text)
        _keep(text, read_as)


def _decoded(file: Upload) -> tuple[str, str]:
    """The text of a file, and how it was read. Raises TextError for what is no text."""
    if file.name.lower().endswith(".csv"):
        raise TextError("A table holds many texts, one a row: choose it on Corpus.")
    text, encoding = decode(file.data, file.name)
    return text, f"{len(file.data):,} bytes, read as {encoding}"


def _kept_text(known: Mapping[str, OwnText]) -> Source:
    asked = chosen("mine")
    link = st.selectbox(
        MINE, list(known), index=None, key="mine", bind="query-params", placeholder="Choose one of your texts",
        on_change=_forget_language,
    )  # fmt: skip
    text_place = st.container()
    language = _language()
    if link is None:
        missing = f"There is no text “{plain(asked[:80])}” among yours on this machine: choose" if asked else "Choose"
        raise TextError(f"{missing} one under {MINE} in the sidebar.")
    own = known[link]
    st.button("Delete this text", key="delete-mine", icon=":material/delete:", on_click=_delete, args=(own,))
    if st.session_state.get(IN_AREA) != link:
        _put_into_area(link, own.text)
    with text_place:
        text = _text_area()
        if how := st.session_state.get(READ_AS, {}).get(link):
            st.caption(how)
    return Source(own.name, text, language(text))


def _take_latest() -> None:
    """The list begins with the text that was kept last."""
    _forget_language()
    if st.session_state["text"] == MINE and st.session_state.get("mine") is None:
        st.session_state["mine"] = next(iter(own_texts.every()), None)


def _delete(own: OwnText) -> None:
    """Delete a text, and show the next one, or a sample."""
    with saying_why("It could not be deleted"):
        own.file.unlink()
    _put_into_area(None, "")
    st.session_state["mine"] = next(iter(own_texts.every()), None)
    if st.session_state["mine"] is None:
        st.session_state["text"] = samples()[0].title


@contextmanager
def saying_why(failure: str) -> Iterator[None]:
    """Say what a full disk or a folder that cannot be written has hindered."""
    try:
        yield
    except OSError as error:
        st.toast(f"{failure}: {plain(error.strerror or error)}.", icon=":material/warning:", duration="long")
