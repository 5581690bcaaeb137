"""Home: the map of all heads, the main findings, and the text itself."""

import streamlit as st

from attn_core.charts.heads import head_map
from attn_core.columns import terms
from attn_core.findings.robustness import SHARES
from attn_core.measures.statistics import BY_LABEL, STATISTICS
from attn_core.similarity.strong_pairs import SHARE
from attn_core.study.in_words import percents
from attn_core.ui.findings.firmness import show_findings
from attn_core.ui.home import kept_views, text_view
from attn_core.ui.shell.frame import page
from attn_core.ui.shell.head_part import head_part
from attn_core.ui.shell.view import TextView
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import one_of
from attn_core.ui.widgets.pick import head_chart
from attn_core.ui.widgets.sections import section


def show_home() -> None:
    """Draw the page."""
    paper, address = terms.paper()
    with page(
        "What attention heads make alike",
        f"{terms.question()} The findings stand beside those of {paper}, [arXiv 2512.21956]({address}).",
    ) as view:
        _draw(view)


def _draw(view: TextView) -> None:
    heads = view.results.statistics

    left, right = st.columns(2, gap="large")
    with left:
        label = one_of("Colour the heads by", list(BY_LABEL), "by")
        statistic = BY_LABEL[label]
        st.caption(
            f"{statistic.question} Colours show the difference to chance. **Click a cell to make it head A everywhere.**"
        )
        head_chart(
            view.marked(head_map(heads, statistic)),
            "head-map",
            f"{label} of every head, beside chance",
            heads,
            across=0.5,
        )
    with right:
        section("What this text shows")
        st.caption("C1 to C6 are claims of the paper, C7 is its remark on noise. **Click a line to read more of it.**")
        if view.part_analysed:
            st.caption(f":material/info: {view.part_analysed}")
        show_findings(view.results, view.choice, show.way_to)

    with head_part(view):
        text_view.similar_tokens(view)

    kept_views.show_kept_views()
    show.how_to_read(
        f"""
    - A **cell** of the map is one head; its number is the statistic over the head's strong pairs, its colour the difference
      to **chance**, the same statistic over all pairs of tokens. Grey is what chance gives.
    - The **findings** compare this text and model with six claims of the paper (C1 to C6), which studied bert-base-uncased,
      and with its remark on noise (C7). One text is an anecdote: try others, and other models.
    - Behind a **verdict** stands the number that decides with its 95 % interval, over the parts of the text; only where all of
      that lies beyond a bar is a claim as in the paper, or unlike it. A click on the line shows the rule with the numbers put in.
    - **Stays** and **turns** tell what other choices do, one at a time: three measures, the strongest {percents(SHARES)} of the
      pairs, special tokens out, words in place of tokens.
    - In the **text**, point at a token: the others take the colour of their similarity to it in head A.
    """
    )
    show.our_choice(
        f"Strong pairs are the strongest {percents([SHARE])} (move it in the sidebar); special tokens count; the bars that a "
        "verdict must pass are ours, and stand beside it."
    )
    show.folded_table(
        "The numbers of every head",
        heads[["layer", "head", "role", "anchor", *(column for s in STATISTICS for column in (s.name, s.chance))]],
        "heads",
        view.provenance(),
    )
