"""The part of a page that speaks of head A, and of nothing else."""

from collections.abc import Iterator
from contextlib import contextmanager

import pandas as pd
import streamlit as st

from attn_core.measures.roles import role_in_words
from attn_core.ui.shell.view import View
from attn_core.ui.widgets.sections import section


@contextmanager
def head_part(view: View, head: pd.Series | None = None) -> Iterator[None]:
    """A frame headed by head A with its main and its second kind.

    head: its row with role and second_role, where the page gives roles by a rule of its own.
    """
    row = view.results.statistics.set_index(["layer", "head"]).loc[view.head_a.row] if head is None else head
    with st.container(border=True, key="head-a"):
        section(f"{view.head_a}: {role_in_words(row)}")
        yield
