"""Findings: which of the paper's claims hold, for which models, under which choices, and what of it is learned."""

import streamlit as st

from attn_core.ui.jobs import study_progress
from attn_core.ui.shell.frame import page
from attn_core.ui.widgets import show

view = page(
    "Findings",
    "Does the paper hold? Its claims for several models, their twins and the shuffled text, under every sensible "
    "choice.",
    headline=False,
    of_text=False,
)
with show.starting():
    from attn_core.ui.reproduction import starting
    from attn_core.ui.reproduction.choosing import choose_folder
    from attn_core.ui.reproduction.showing import show_folder
study_progress.tell()
row = st.container(horizontal=True, gap="medium", vertical_alignment="bottom")
chosen = row.container(horizontal=True, gap="medium", vertical_alignment="bottom")
with row, st.popover("Start one, or add to one", icon=":material/add:", type="tertiary"):
    starting.begin(view.choice)
folder = choose_folder(chosen)
if folder is not None:
    show_folder(folder, chosen)

show.how_to_read(
    """
- The paper names neither its threshold, nor its corpus, nor what it did with special tokens: no single choice reproduces it.
  Every window is read once a layout, and every claim asked under all **combinations** of measure (3), share of strong pairs (5),
  special tokens in or out (tokens only), unit and layout: 90, and 45 of the shuffled text, which is read in one layout.
  Choices that cannot move a claim are not counted: attention to separators knows no pairs.
- A **cell** has the verdict that more than half of the combinations give, how many do, and the effect with its 95 % interval
  over texts under our usual choice: scalar product, strongest 1 %, special tokens in, tokens, plain layout.
- The **specification curve** has all combinations by their effect, a line each for its interval, and below which choices they
  are. Diamonds are the same combination in the twins (of several, their mean) and in the shuffled text; a triangle
  at the edge is one that lies beyond the axis.
- **Firmness**: of two combinations that differ in one choice alone, how many have the same verdict.
- *Learned*, *language*, *neither*: by what more than half of the combinations say; *open* where no outcome has so many.
- p of every difference, by sign-flips over texts and after Holm's correction, stands in the table of verdicts.
- On a command line: `python -m attn_core reproduce TEXTS --models M1 M2 --out FOLDER`; the same folder can be added to.
"""
)
show.our_choice("Which combinations are sensible, and that they weigh alike.")
view.end()
