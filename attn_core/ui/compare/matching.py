"""Which head of B is most like each head of A, and head A beside the head that is most like it."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from attn_core.charts.head_map import best_match_map
from attn_core.comparison.match import HeadMatch, common_words, word_ranks
from attn_core.errors import InputError
from attn_core.head import every_head
from attn_core.ui import derived, readings
from attn_core.ui.compare.numbers import whole
from attn_core.ui.compare.subjects import Compared
from attn_core.ui.components.matrix_canvas import Axis, Panel, matrix_canvas
from attn_core.ui.shell.view import View
from attn_core.ui.widgets import show
from attn_core.ui.widgets.escape import plain
from attn_core.ui.widgets.pick import head_chart


def find_match(compared: Sequence[Compared]) -> HeadMatch | str:
    """Which head of B is most like each head of A, or why that cannot be said."""
    a, b = compared
    try:
        return derived.head_match(a.choice, b.choice)
    except InputError as error:
        return plain(error)


def show_best_match(view: View, compared: Sequence[Compared], match: HeadMatch) -> None:
    """Head A and the head of B most like it, over the same words at one scale."""
    a, b = compared
    row = every_head(*match.shapes[0]).index(view.head_a)
    best = every_head(*match.shapes[1])[match.best[row]]
    found = f"is most like {best} of {plain(b.name)}"
    none = f"is not more like a head of {plain(b.name)} than by chance"
    st.header(f"{view.head_a} {found if match.sure[row] else none}", anchor=False)
    show.beside_chance(
        f"Rank correlation of {view.head_a} and {best}", f"{match.value[row]:z.2f}", f"chance: up to {match.threshold:.2f}",
        "Of the similarities of the same pairs of words. Chance: the words of B permuted; in 95 of 100 permutations no two heads "
        "at all are more alike than this.",
    )  # fmt: skip
    both = [readings.reading(replace(one.choice.key, unit="words")) for one in compared]
    common = common_words(*both)[0]
    ranks = {
        f"{view.head_a} of {a.name}": word_ranks(
            both[0], common.window, common.first, view.head_a, a.choice.settings.measure
        ),
        f"{best} of {b.name}": word_ranks(both[1], common.other_window, common.second, best, b.choice.settings.measure),
    }
    panels = [Panel(f"{name}: rank of the similarity", of_head, cut=(0.0, 1.0)) for name, of_head in ranks.items()]
    passage = both[0].passages[common.window]
    tokens = [passage.surface(int(at)) for at in common.first]
    matrix_canvas(panels, Axis(tokens, "words"), key=f"compared-{a.name}-{b.name}")


def show_matches(compared: Sequence[Compared], match: HeadMatch) -> None:
    """The head of B most like each head of A, on a map and as a table."""
    mutual, mutual_by_chance = match.mutual
    with show.facts():
        show.beside_chance(
            "Best match of a head of A, mean", f"{match.value.mean():z.2f}", f"chance: {match.chance:z.2f}",
            f"Rank correlation over the same {match.words} words. Chance: the words of B permuted.",
        )  # fmt: skip
        show.beside_chance(
            "Heads of A with a match above chance", f"{match.sure.sum()} of {len(match.sure)}",
            "chance: none in 95 of 100",
            f"Above {match.threshold:.2f}, which at most 5% of {len(match.by_chance)} permutations reach with any head at all.",
        )  # fmt: skip
        show.beside_chance(
            "Each other's best match", f"{mutual:.0%}", f"chance: {mutual_by_chance:.0%}",
            "Heads of A whose best match in B has them as its own best match in A.",
        )  # fmt: skip
    st.caption("Each cell names the head of B that is most like this head of A. Click a head to select it.")
    table = match.table()
    head_chart(best_match_map(table), "best-matches", "The head of B most like each head of A")
    show.table(
        table, "best-matches",
        choices={**whole(compared).provenance, "words": match.words, "permutations": len(match.by_chance)},
    )  # fmt: skip
