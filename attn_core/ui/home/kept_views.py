"""The views that the user has kept: each with its note, its numbers, and a link that opens it again."""

from collections.abc import Callable

import streamlit as st

from attn_core.errors import InputError
from attn_core.report.kept_views import KeptView, Notebook
from attn_core.ui.runs.kinds import STUDY
from attn_core.ui.widgets.escape import plain


def show_kept_views() -> None:
    """All of them in their order; nothing where none was kept."""
    notebook = Notebook(STUDY.root)
    try:
        views = notebook.views()
    except (InputError, OSError) as error:
        st.warning(plain(error), icon=":material/broken_image:")
        return
    if not views:
        return
    with st.expander(f"Kept views ({len(views)})", icon=":material/bookmarks:", key="kept-views", expanded=True):
        st.caption(f"They lie in {plain(notebook.file)}. *Report* in the sidebar takes them along as a chapter.")
        for number, view in enumerate(views):
            _show(notebook, view, number, len(views))


def _show(notebook: Notebook, view: KeptView, number: int, of: int) -> None:
    with st.container(border=True):
        st.markdown(f"**{plain(view.page)}** · {plain(view.title)} :small[:gray[{plain(view.told)}]]")
        if view.note:
            st.markdown(plain(view.note))
        if view.numbers:
            st.caption(plain("; ".join(view.numbers)))
        with st.container(horizontal=True, gap="small"):
            st.link_button(
                "Open", view.link, icon=":material/open_in_new:", help="In a tab of its own.", type="tertiary"
            )
            for label, by, there in (("Up", -1, number > 0), ("Down", 1, number < of - 1)):
                st.button(
                    label,
                    key=f"view-{label}-{number}",
                    type="tertiary",
                    disabled=not there,
                    on_click=_attempt,
                    args=(notebook.move, view, by),
                )
            st.button(
                "Delete",
                key=f"view-delete-{number}",
                icon=":material/delete:",
                type="tertiary",
                on_click=_attempt,
                args=(notebook.delete, view),
            )


def _attempt(change: Callable[..., None], *given: object) -> None:
    """Change the notebook, and say what has hindered it."""
    try:
        change(*given)
    except (InputError, OSError) as error:
        st.toast(f"The views stay as they are: {plain(error)}", icon=":material/warning:", duration="long")
