"""Which head of B is most like each head of A, and a head beside its partner."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import pandas as pd
import streamlit as st

from attn_core.charts.comparison import best_match_map
from attn_core.comparison.match import HeadMatch, common_words, word_ranks
from attn_core.errors import InputError
from attn_core.head import every_head
from attn_core.ui import derived, readings
from attn_core.ui.compare.subjects import Compared, provenance
from attn_core.ui.components.matrix_canvas import Axis, Panel, matrix_canvas
from attn_core.ui.shell.view import View
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import one_of
from attn_core.ui.widgets.escape import plain
from attn_core.ui.widgets.pick import head_chart


def find_match(compared: Sequence[Compared]) -> HeadMatch | str:
    """Which head of B is most like each head of A, or why that cannot be told."""
    a, b = compared
    try:
        return derived.head_match(a.choice, b.choice)
    except InputError as error:
        return plain(error)


def show_match(view: View, compared: Sequence[Compared], match: HeadMatch) -> None:
    """Which head of B is most like each head of A."""
    a, b = compared
    _match_facts(match)
    table = match.table()
    show.folded("The head of B most like each head of A", "match-map", partial(_match_map, table))
    about = provenance(view, (a, b), words=match.words, permutations=len(match.by_chance))
    show.table(table, "best-matches", provenance=about, fold="All best matches")


def _match_map(table: pd.DataFrame) -> None:
    st.caption("In each cell of A the head of B most like it; pale where no better than chance. **Click: head A.**")
    title = "The head of B most like each head of A"
    head_chart(best_match_map(table), "best-matches", title)


def _match_facts(match: HeadMatch) -> None:
    mutual, mutual_by_chance = match.mutual
    with show.facts():
        show.beside_chance(
            "Best match of a head of A, mean",
            f"{match.value.mean():z.2f}",
            f"chance: {match.chance:z.2f}",
            f"Rank correlation of two heads' similarity matrices over the same {match.words} words. Chance: the words of B "
            "permuted.",
        )
        show.beside_chance(
            "Heads of A with a match above chance",
            f"{match.sure.sum()} of {len(match.sure)}",
            "chance: none in 95 of 100",
            f"Above {match.bar:.2f}: of {len(match.by_chance)} permutations of the words, in at most 5% any head at all reaches "
            "that. So the bar is corrected over all heads.",
        )
        show.beside_chance(
            "Each other's best match",
            f"{mutual:.0%}",
            f"chance: {mutual_by_chance:.0%}",
            "Heads of A whose best match in B has them as its own best match in A.",
        )


def show_partner(view: View, compared: Sequence[Compared], match: HeadMatch) -> None:
    """Head A of the sidebar and a head of B, over the same words at one scale."""
    a, b = compared
    both = [readings.reading(replace(one.choice.key, unit="words")) for one in (a, b)]
    common = common_words(*both)[0]
    own, theirs = (every_head(*shape) for shape in match.shapes)
    row = own.index(view.head_a)
    best = theirs[match.best[row]]
    names = [f"most like it: {best}", *map(str, theirs)]
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{view.head_a} of A** beside a head of B", width="content")
        chosen = one_of("A head of B", names, "b_head", width=230, label_visibility="collapsed")
    other = [best, *theirs][names.index(chosen)]
    correlation = match.correlation[row, theirs.index(other)]
    st.caption(
        f"Rank correlation {correlation:z.2f} (chance of a best match {match.chance:z.2f}) over {len(common.first)} words that "
        "both read in one window."
    )
    ranks = {
        f"{view.head_a} of A": word_ranks(both[0], common.window, common.first, view.head_a, a.choice.settings.measure),
        f"{other} of B": word_ranks(both[1], common.other_window, common.second, other, b.choice.settings.measure),
    }
    panels = [Panel(f"{name}: rank of the similarity", of_head, cut=(0.0, 1.0)) for name, of_head in ranks.items()]
    passage = both[0].passages[common.window]
    tokens = [passage.surface(int(at)) for at in common.first]
    matrix_canvas(panels, Axis(tokens), key=f"compared-{a.name}-{b.name}")
