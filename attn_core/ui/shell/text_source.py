"""Where the text comes from: a sample, or one of the user's own, which are kept as files (`own_texts`)."""

from dataclasses import dataclass
from functools import cache, partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attn_core.errors import InputError, TextError
from attn_core.models.files import BERT, MINILM, OLD_BERT, default_spec
from attn_core.texts import own_texts
from attn_core.texts.documents import MAX_CHARACTERS, check_length, decode, samples
from attn_core.texts.languages import AUTO, NAMES, UNKNOWN, language_of
from attn_core.texts.own_texts import OwnText
from attn_core.ui.widgets.controls import chosen, one_of
from attn_core.ui.widgets.escape import file_name, plain

OWN = "New text"
PROBLEM = "problem_of_the_upload"
KEPT = "It is kept on this machine until you delete it here."
UNCLEAR = "The text does not show its language: sentences end as in English, unless you name one."
OF_ENGLISH = (MINILM, BERT, OLD_BERT)  # models that were trained on English alone


@dataclass(frozen=True)
class Source:
    """A text with its title and its language."""

    title: str
    text: str
    language: str


def choose_text() -> Source:
    """The text that widgets choose. Raises TextError where there is nothing to read yet."""
    by_title, mine = _samples_by_title(), own_texts.every()
    anew = partial(st.session_state.pop, "language", None)  # what was set by hand belongs to the text before
    source = one_of("Text", [OWN, *mine, *by_title], "text", next(iter(by_title)), on_change=anew)
    if source == OWN:
        return _new_text()
    if source in mine:
        return _own_text(mine[source])
    return by_title[source]


@cache
def _samples_by_title() -> dict[str, Source]:
    return {sample.title: Source(sample.title, sample.text, sample.language) for sample in samples()}


def keep(text: str) -> None:
    """Write a text to a file and choose it; if that fails, keep it in this session."""
    st.session_state.pop("language", None)  # what was set by hand belongs to the text before
    st.session_state["text"], st.session_state["own_text"] = OWN, text
    try:
        st.session_state["text"] = own_texts.keep(text).link
    except OSError as error:
        _say_failure("The text could not be kept on this machine", error)


def _new_text() -> Source:
    text = _text_area("own_text")
    st.file_uploader(
        "or a .txt or .md file", key="upload", on_change=_keep_upload, max_upload_size=5,
        help=f"At most 5 MB and {MAX_CHARACTERS:,} characters; a study reads longer ones (see Corpus).",
    )  # fmt: skip
    st.caption(KEPT)
    if problem := st.session_state.pop(PROBLEM, ""):
        raise TextError(problem)
    if not text.strip():
        raise TextError("Paste or type a text in the sidebar.")
    return Source(OWN, text, _language(text, st.container()))


def _own_text(own: OwnText) -> Source:
    key = f"own_text_{own.file.stem}"
    st.session_state.setdefault(key, own.text)
    with st.expander("Edit the text or its language") as folded:
        _text_area(key)
        st.button("Delete this text", key="delete-text", icon=":material/delete:", on_click=_delete, args=(own,))
    return Source(own.name, own.text, _language(own.text, folded))


def _text_area(key: str) -> str:
    return st.text_area(
        "Paste or type a text", key=key, persist_state="session", on_change=_keep_pasted, args=(key,), height=180,
        placeholder="A few sentences or pages. A line of ten equals signs marks a gold segment boundary.",
    )  # fmt: skip


def _keep_pasted(key: str) -> None:
    if st.session_state[key].strip():
        keep(st.session_state[key])


def _keep_upload() -> None:
    """Keep the text of an uploaded file, or the reason why it cannot be read."""
    if (upload := st.session_state["upload"]) is None:
        return
    name, data = file_name(upload.name), upload.getvalue()
    try:
        if name.lower().endswith(".csv"):
            raise TextError("A table holds many texts, one a row: choose it on Corpus.")
        text, encoding = decode(data, name)
        check_length(text)
        if not text.strip():
            raise TextError("There is no word in this file: choose another.")
    except InputError as error:
        st.session_state[PROBLEM] = str(error)
    else:
        keep(text)
        st.toast(f"**{plain(name)}**: {len(data):,} bytes, read as {encoding}", icon=":material/info:")


def _language(text: str, place: DeltaGenerator) -> str:
    """The language of a text, chosen in a place or detected; it decides where sentences end."""
    with place:
        asked = one_of("Language", [AUTO, *NAMES], "language")
    language = language_of(text) if asked == AUTO else asked
    said = []
    if asked == AUTO:
        said.append(f"The text looks {NAMES[language]}." if language in NAMES else UNCLEAR)
    if language not in ("en", UNKNOWN) and (chosen("model") or default_spec().name) in OF_ENGLISH:
        said.append("The model was trained on English alone.")
    st.caption(" ".join(said))
    return language


def _delete(own: OwnText) -> None:
    try:
        own.file.unlink()
    except OSError as error:
        _say_failure("It could not be deleted", error)
    else:
        del st.session_state["text"]


def _say_failure(what: str, error: OSError) -> None:
    """Show a message about a file that could not be written or deleted."""
    st.toast(f"{what}: {plain(error.strerror or error)}.", icon=":material/warning:", duration="long")
