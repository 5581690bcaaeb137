"""The canvas of maps: colours, what a map tells, sides of their own, a cell that is picked."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import streamlit as st

from attn_core.ui.components import matrix_canvas
from attn_core.ui.components.matrix_panel import Axis, Panel, colour_cut
from attn_core.ui.components.packed import BLANK

TOKENS = ["a", "b", "c"]
OWN, THEIRS = Axis(["L1H1", "L1H2"], "heads of A", 2), Axis(["L1H1", "L2H1", "L3H1"], "heads of B", 1)


def symmetric(*values: float) -> np.ndarray:
    matrix = np.zeros((3, 3))
    matrix[np.triu_indices(3, 1)] = values
    return matrix + matrix.T


def test_matrices_of_one_scale_end_their_colours_at_the_same_values() -> None:
    one, other = symmetric(0, 1, 2), symmetric(0, 5, 10)
    assert colour_cut([one, other], "sequential")[1] == pytest.approx(colour_cut([other], "sequential")[1], rel=0.05)
    assert colour_cut([one - 1, other], "diverging") == tuple(
        -end for end in colour_cut([one - 1, other], "diverging")[::-1]
    )


def test_rows_and_columns_of_their_own_names(sent: list[dict[str, Any]]) -> None:
    panel = Panel("Match", np.array([[1.0, 2.0, 3.0], [4.0, 0.0, 6.0]]), "diverging", cut=(-6.0, 6.0))
    matrix_canvas.matrix_canvas([panel], OWN, THEIRS, key="k")
    (shown,) = sent[0]["panels"]
    assert shown["described"] == "Match: 2 heads of A by 3 heads of B, from 0 (L1H2, L2H1) to 6 (L1H2, L3H1)."
    assert shown["note"] == "Colours cut at -6 and 6 (symmetric about 0); values run from 0 to 6."
    codes = shown["codes"].reshape(3, 3)
    assert codes[:2].tolist() == np.rint(panel.values * (BLANK - 1) / 6).tolist()
    assert (codes[2] == BLANK).all()  # there is no third head of A
    assert (sent[0]["rows"]["names"], sent[0]["columns"]["every"]) == (OWN.names, 1)


def test_values_that_do_not_fit_the_names_are_refused(sent: list[dict[str, Any]]) -> None:
    with pytest.raises(ValueError, match=r"\(2, 3\) values"):
        matrix_canvas.matrix_canvas([Panel("Match", np.zeros((3, 2)))], OWN, THEIRS, key="k")


@pytest.mark.parametrize(("picked", "told"), [([1, 2], [(1, 2)]), ([2, 0], []), (None, [])])
def test_a_cell_that_is_picked_is_told_where_it_is_one(
    monkeypatch: pytest.MonkeyPatch, picked: list[int] | None, told: list[tuple[int, int]]
) -> None:
    cells: list[tuple[int, int]] = []

    def component(key: str, on_picked_change: Callable[[], None], **_: object) -> dict[str, Any]:
        with monkeypatch.context() as patch:
            patch.setattr(st, "session_state", {key: {"picked": picked}})
            on_picked_change()
        return {"picked": picked}

    monkeypatch.setattr(matrix_canvas, "_component", component)
    shown = matrix_canvas.matrix_canvas(
        [Panel("Match", np.zeros((2, 3)))], OWN, THEIRS, key="k", on_pick=lambda *at: cells.append(at)
    )
    assert cells == told
    assert shown == (told[0] if told else None)
