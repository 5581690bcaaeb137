"""What an encoder reads while its decoder reads the text: the same text, or a source, named in the address as a text is."""

import streamlit as st

from attn_core.errors import InputError
from attn_core.texts import own_texts
from attn_core.texts.documents import check_length, decode, samples
from attn_core.ui.shell.text_source import hold_area, say_what_is_kept, saying_why
from attn_core.ui.widgets.address import chosen
from attn_core.ui.widgets.controls import one_of
from attn_core.ui.widgets.escape import plain
from attn_core.ui.widgets.uploads import Upload

SAME, NEW = "the same text", "a new text"
AREA, UPLOAD = "own_source", "source_upload"


def choose_source() -> str | None:
    """Widgets for the source: one of the user's texts, a sample or a new text; None for the text itself."""
    known = {sample.title: sample.text for sample in samples()}
    mine = own_texts.every()
    offered = [SAME, NEW, *mine, *known]
    name = one_of(
        "The encoder reads",
        offered,
        "source",
        help="The decoder reads the text above, whose tokens are analysed. The encoder can read another one before it, such as "
        "an original where the text is its translation or summary: one window of it.",
    )
    if name == NEW:
        return _new_source()
    hold_area(AREA, shown=False)
    if name == SAME:
        return None
    return mine[name].text if name in mine else known[name]


def is_chosen() -> bool:
    """Whether the encoder will read a source; the widget is drawn further down."""
    return chosen("source") not in ("", SAME)


def _new_source() -> str:
    hold_area(AREA)
    text = st.text_area(
        "Paste or type the source",
        key="own_source",
        persist_state="session",
        on_change=_keep_pasted,
        height=120,
        placeholder="What the encoder reads. Ctrl+Enter, and it is read.",
    )
    st.file_uploader("Or a .txt or .md file", key=UPLOAD, on_change=_keep_upload, max_upload_size=5)
    say_what_is_kept()
    return text


def _keep_pasted() -> None:
    if (text := st.session_state[AREA]).strip():
        _keep(text)


def _keep_upload() -> None:
    if (upload := st.session_state[UPLOAD]) is None:
        return
    file = Upload.of(upload)
    try:
        text, _ = decode(file.data, file.name)
        check_length(text)
    except InputError as error:
        st.toast(plain(error), icon=":material/warning:", duration="long")
        return
    st.session_state[AREA] = text  # there it stays where nothing is kept
    _keep(text)


def _keep(text: str) -> None:
    """Keep a source among the user's texts and choose it, where texts are kept."""
    with saying_why("The source could not be kept on this machine"):
        if own := own_texts.keep(text):
            st.session_state["source"], st.session_state[AREA] = own.link, ""
