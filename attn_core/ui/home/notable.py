"""Heads worth a look, in words."""

import streamlit as st

from attn_core.measures.few_pairs import too_few
from attn_core.measures.notable_heads import length_in_words, notable_heads
from attn_core.ui.shell.view import View
from attn_core.ui.widgets.escape import plain


def show_notable(view: View) -> None:
    """Heads worth a look; a click on a head makes it head A."""
    heads = view.results.statistics
    copies = view.copies.heads
    notable = notable_heads(heads, copies)
    with st.container(key="notable", gap="xxsmall"):
        if not too_few(heads):
            st.markdown("**Worth a look:**" if notable else "**No head stands out.**")
        for one in notable:
            name = str(one.head)
            with st.container(horizontal=True, gap="xsmall", vertical_alignment="center"):
                st.button(
                    name, key=f"notable-{name}", type="tertiary", help="Make it head A",
                    on_click=st.session_state.update, args=({"a": name},),
                )  # fmt: skip
                st.markdown(f"{plain(one.what)} :gray[({one.numbers})]")
        st.caption(f":material/info: {length_in_words(heads, copies)}")
