"""What Home says first: three plain sentences, and the caveat that stands before all of them."""

import streamlit as st

from attn_core.findings.in_short import learned_in_words, length_caveat, open_in_words, standing_out
from attn_core.ui.caches import of_choice
from attn_core.ui.shell.view import TextView
from attn_core.ui.widgets.escape import plain


def say_in_short(view: TextView) -> None:
    """The sentences; a click on a head makes it head A."""
    heads = view.results.statistics
    nulls = {name: one.statistics for name, one in of_choice.nulls_if_counted(view.choice).items()}
    claims = of_choice.claims(view.choice)
    with st.container(key="in-short", gap="xxsmall"):
        standing = standing_out(heads, nulls)
        st.markdown("**Heads that stand out:**" if standing else "**No head stands out.**")
        for one in standing:
            name = str(one.head)
            with st.container(horizontal=True, gap="xsmall", vertical_alignment="center"):
                st.button(
                    name, key=f"stands-{name}", type="tertiary", on_click=_choose, args=(name,), help="Make it head A"
                )
                st.markdown(f"{plain(one.what)} :gray[({one.beside})]")
        st.markdown(plain(learned_in_words(claims)))
        st.markdown(plain(open_in_words(claims)))
        st.caption(f":material/info: {length_caveat(heads, nulls)}")


def _choose(head: str) -> None:
    st.session_state["a"] = head
