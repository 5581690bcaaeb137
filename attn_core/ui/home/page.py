"""Home: the text in three sentences, the map of all heads beside the picture of the claims, and the text itself."""

from functools import partial

import streamlit as st

from attn_core.charts.heads import head_map
from attn_core.columns import dictionary
from attn_core.findings.in_short import learned_in_words, length_caveat, open_in_words, standing_out
from attn_core.findings.robustness import SHARES
from attn_core.measures.few_pairs import too_few
from attn_core.measures.roles import TOKENS
from attn_core.measures.statistics import BY_LABEL, STATISTICS
from attn_core.similarity.strong_pairs import SHARE
from attn_core.study.in_words import percents
from attn_core.texts.documents import samples
from attn_core.ui import derived
from attn_core.ui import readings
from attn_core.ui import removals
from attn_core.ui import copies
from attn_core.ui import prefetch
from attn_core.ui.findings.firmness import show_findings
from attn_core.ui.findings.picture import show_picture
from attn_core.ui.home import text_view
from attn_core.ui.shell.frame import page
from attn_core.ui.shell.view import TextView, head_part
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import one_of
from attn_core.ui.widgets.escape import plain
from attn_core.ui.widgets.pick import head_chart


def show_home() -> None:
    """Draw the page."""
    with page("What attention heads make alike", dictionary.question()) as view:
        _draw(view)


def _draw(view: TextView) -> None:
    heads = view.results.statistics
    say_in_short(view)

    left, right = st.columns(2, gap="large")
    with left:
        label = one_of("Colour the heads by", list(BY_LABEL), "by")
        statistic = BY_LABEL[label]
        st.caption(f"{statistic.question} **Click a cell: head A.**")
        head_chart(view.marked(head_map(heads, statistic)), "head-map", f"{label} of every head, beside chance")
    with right:
        st.header("What this text shows", anchor=False)
        if view.part_analysed:
            st.caption(f":material/info: {view.part_analysed}")
        show_picture(derived.claims(view.choice), "home", across=0.5)
        show.folded(
            "Numbers, rules and other settings, row by row",
            "rows",
            partial(show_findings, view.results, view.choice, show.way_to),
        )

    with head_part(view):
        text_view.similar_tokens(view)

    paper, address = dictionary.paper()
    look_for = next((sample.look_for for sample in samples() if sample.title == view.choice.title), "a text of yours")
    show.how_to_read(
        f"""
    - **In this text**: {plain(look_for)}
    - **The paper** is {paper}, [arXiv 2512.21956]({address}).
    - A **cell** of the map is one head; its number is the statistic over the head's strong pairs, its colour the difference
      to **chance**, the same statistic over all pairs of tokens. Grey is what chance gives.
    - The **picture** has a row an effect of a claim of the paper (C1 to C6), which studied bert-base-uncased, and of its
      remark on noise (C7). The dot is this text and model, the line its 95% interval over the parts of the text; only where
      all of that lies in a shaded zone is a claim as in the paper, or unlike it. One text is an anecdote.
    - **vs twins: learned**: the effect differs from those of both twins, which never learned, by half of what lies between the
      bars.
    - **Stays** and **turns** tell what other choices do, one at a time: three measures, the strongest {percents(SHARES)} of the
      pairs, special tokens out, words in place of tokens.
    - In the **text**, point at a token: the others take the colour of their similarity to it in head A.
    """,
        f"Strong pairs are the strongest {percents([SHARE])} (move it in the sidebar); special tokens count; the bars that a "
        "verdict must pass are ours, and stand beside it.",
    )
    show.folded_table(
        "The numbers of every head",
        heads[["layer", "head", "role", *TOKENS, *(column for s in STATISTICS for column in (s.name, s.chance))]],
        "heads",
        view.provenance(),
    )


def say_in_short(view: TextView) -> None:
    """The sentences; a click on a head makes it head A."""
    heads = view.results.statistics
    nulls = {name: one.statistics for name, one in derived.nulls_if_counted(view.choice).items()}
    claims = derived.claims(view.choice)
    with st.container(key="in-short", gap="xxsmall"):
        standing = standing_out(heads, nulls)
        if not too_few(heads):
            st.markdown("**Heads that stand out:**" if standing else "**No head stands out.**")
        for one in standing:
            name = str(one.head)
            with st.container(horizontal=True, gap="xsmall", vertical_alignment="center"):
                st.button(
                    name, key=f"stands-{name}", type="tertiary", help="Make it head A",
                    on_click=st.session_state.update, args=({"a": name},),
                )  # fmt: skip
                st.markdown(f"{plain(one.what)} :gray[({one.beside})]")
        st.markdown(plain(learned_in_words(claims)))
        st.markdown(plain(open_in_words(claims)))
        st.caption(f":material/info: {length_caveat(heads, nulls)}")
