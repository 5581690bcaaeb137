"""Corpus: the same questions asked of many texts, in the background, with intervals over the texts."""

import streamlit as st

from attn_core.ui.corpus.showing import show_folder
from attn_core.ui.corpus.starting import begin
from attn_core.ui.runs.kinds import STUDY, known
from attn_core.ui.runs.watching import choose_run, show_outcome
from attn_core.ui.shell import page
from attn_core.ui.widgets import show

choice = page.choice()
show_outcome()
with st.expander("Start a study", icon=":material/add:", expanded=not known(STUDY)):
    begin(choice)
folder = choose_run(STUDY, "Study", "study")
if folder is None:
    st.caption("Name the folder of a study, finished or not.")
else:
    show_folder(folder)

show.help("Corpus")
