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

show.how_to_read(
    """
- Each **claim** of the paper's abstract is an effect with two thresholds. *Supported*: its whole 95% interval lies past the one,
  *contradicted*: past the other; else *unclear*. *Not applicable*: the model or the corpus cannot answer. The verdicts are not
  corrected for twelve claims.
- **More than untrained** compares the effect with that of copies which never learned, on the same texts: *untrained copies* have
  weights drawn anew, *shuffled weights* the model's own in random order. **Needs word order** compares it with the same tokens
  in random order.
- A **point** is a head over all texts, the **line** the mean of a layer's heads, the **band** its 95% interval over texts.
  Dashed is **chance**: the same over all pairs of tokens, for attention what even attention would give.
- Texts weigh by their strong pairs, as windows of one text do. The **stability** of an anchor is the share of windows
  that have the same anchor. In so much text anchors are common tokens: their lift stands in the table.
- **Every setting**: 5 shares of strong pairs; tokens with special ones, tokens without, or words; 2 layouts. Attention to
  separators knows no pairs, so that fewer are left.
- The steps of a **training** lie on a log axis. **Drift** says how far a head is from what it becomes at the last step: 0 is the
  same, 1 has nothing in common with it.
- A study goes on when you close this page. Cancelled, killed or cut off, it goes on later where it was.
- On a command line: `python -m attn_core study TEXTS --out FOLDER`; `--models`, `--checkpoints` and `--revisions` add subjects,
  `--workers` and `--dask` use more processes and machines.
""",
    "The thresholds, and which settings are sensible. A text with fewer than 16 tokens is left out. Very long texts are read "
    "in parts.",
)
