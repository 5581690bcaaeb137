"""Corpus: the same questions asked of many texts, in the background, with intervals over the texts."""

import streamlit as st

from attn_core.ui.corpus.study_tables import begin, show_folder
from attn_core.ui.runs.kinds import ELSEWHERE, STUDY
from attn_core.ui.runs.watching import choose_run, show_outcome
from attn_core.ui.shell.frame import page
from attn_core.ui.widgets import show

with page(
    "Corpus",
    "One text is an anecdote. A **study** asks the same of many texts, in the background, and says how far the numbers would "
    "move with other texts.",
    headline=False,
) as view:
    show_outcome()
    known = STUDY.known()
    with st.expander("Start a study", icon=":material/add:", expanded=not known):
        begin(view.choice)
    if (
        known
        or st.session_state.get("study") == ELSEWHERE
        or st.toggle("Open a study that was made elsewhere", key="elsewhere", bind="query-params")
    ):
        folder = choose_run(STUDY)
        if folder is None:
            st.caption("Name the folder of a study, finished or not.")
        else:
            show_folder(folder, view.head_a)

    show.how_to_read(
        """
- A **point** is a head over all texts of the study, the **line** the mean of a layer's heads, the **band** its 95%
  interval: texts drawn again with replacement, 1000 times. Dashed is **chance**: the same over all pairs of tokens, for
  attention what even attention would give.
- Texts weigh by their strong pairs, as windows of one text do. The **stability** of an anchor is the share of windows
  that have the same anchor. In so much text anchors are common tokens: their lift stands in the table.
- A study goes on when you close this page. Cancelled, killed or cut off, it goes on later where it was.
- On a command line: `python -m attn_core study TEXTS --out FOLDER`; `--workers` and `--dask` use more processes and machines.
""",
        "A text with fewer than 16 tokens is left out. Very long texts are read in parts.",
    )
