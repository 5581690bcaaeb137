"""Findings: which of the paper's claims hold, for which models, under which choices, and what of it is learned."""

import streamlit as st

from attn_core.ui.runs.kinds import REPRODUCTION
from attn_core.ui.runs.watching import choose_run, open_run, show_outcome
from attn_core.ui.shell.frame import page_of_runs
from attn_core.ui.widgets import show

with page_of_runs(
    "Findings",
    "Does the paper hold? The claims of its abstract for several models and their baselines, under every choice that it leaves "
    "open.",
):
    with show.starting():
        from attn_core.ui.reproduction import starting
        from attn_core.ui.reproduction.showing import show_reproduction
    show_outcome()
    chosen = st.container(horizontal=True, gap="medium", vertical_alignment="bottom")
    with st.popover("Start one, or add to one", icon=":material/add:", type="tertiary"):
        starting.begin()
    if reproduction := open_run(REPRODUCTION, choose_run(REPRODUCTION, width=220, place=chosen)):
        show_reproduction(reproduction, chosen)

    show.how_to_read(
        """
- The claims are those of the paper's abstract; C7, and the -30% of C2, stand in summaries of it. A claim has a **row** an
  effect, each with a verdict of its own.
- The paper fixes the scalar product, and names neither its threshold, nor its corpus, nor what it did with special tokens. Every
  window is read once a layout, and every row has 30 **combinations** of what is left open: 5 shares of strong pairs; tokens with
  special ones, tokens without, or words; 2 layouts. 15 of the shuffled text, which is read in one layout. Attention to
  separators knows no pairs, so that 4 are left (2 of the shuffled text). Cosine and centred cosine are *our extension*: folded,
  never added.
- A **cell** has the verdict that more than half of the combinations give, how many do, and the effect with its 95% interval
  over texts (or groups of them) under our usual choice: scalar product, strongest 1%, special tokens in, tokens, plain layout.
- The **specification curve** has all combinations by their effect, a line each for its interval, and below which choices they
  are. Diamonds are the same combination in the twins (of several, their mean) and in the shuffled text; a triangle
  at the edge is one that lies beyond the axis.
- What choices **explain** of a curve is their share of the sum of squares over the combinations.
- *Learned*, *language*: what more than half of the combinations say, beside every network that never learned, and beside the
  shuffled text. The words stand under *The rule*.
- On a command line: `python -m attn_core reproduce TEXTS --models M1 M2 --out FOLDER`; the same folder can be added to.
""",
        "Which combinations are sensible, and that they weigh alike.",
    )
