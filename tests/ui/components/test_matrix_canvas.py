"""The canvas of maps: colours, what a map tells, names of rows and of columns, a cell that is picked, a raster."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import streamlit as st

from attn_core.ui.components import matrix_canvas
from attn_core.ui.components.matrix_canvas import Axis, Panel, block_of, colour_cut, rastered

OWN, THEIRS = Axis(["L1H1", "L1H2"], "heads of A", False), Axis(["L1H1", "L2H1", "L3H1"], "heads of B", False)


def test_colours_end_at_percentiles_off_the_diagonal_and_around_zero_at_both_sides() -> None:
    values = np.arange(10_000.0).reshape(100, 100)
    np.fill_diagonal(values, 1e9)
    low, high = colour_cut(values, "sequential")
    off = values[~np.eye(100, dtype=bool)]
    assert ((off < low).mean(), (off > high).mean()) == pytest.approx((0.005, 0.005), abs=1e-3)
    assert colour_cut(values - 20_000, "diverging") == (low - 20_000, 20_000 - low)


def test_rows_and_columns_of_their_own_names(sent: list[dict[str, Any]]) -> None:
    panel = Panel("Match", np.array([[1.0, 2.0, 3.0], [4.0, 0.0, 6.0]]), "diverging", cut=(-6.0, 5.0))
    matrix_canvas.matrix_canvas([panel], OWN, THEIRS, key="k")
    (shown,) = sent[0]["panels"]
    assert shown["described"] == "Match: 2 heads of A by 3 heads of B, from 0 to 6."
    assert shown["ends"] == ["-6", "≥ 5"]
    assert shown["values"][:2].tolist() == panel.values.tolist()
    assert np.isnan(shown["values"][2]).all()  # there is no third head of A
    assert (sent[0]["rows"]["names"], sent[0]["columns"]["numbered"]) == (OWN.names, False)


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


@pytest.mark.parametrize("n", [4, 5, 8, 11])
def test_a_point_of_a_raster_is_the_maximum_of_its_cells(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix_canvas, "SIDE", 4)
    values = np.random.default_rng(n).normal(size=(n, n))
    values[0, 1] = values[n - 1, n - 1] = np.nan
    found, block = rastered(values), block_of(n)
    assert len(found) <= 4
    for i, j in np.ndindex(*found.shape):
        cells = values[i * block : (i + 1) * block, j * block : (j + 1) * block]
        cells = cells[np.isfinite(cells)]
        expected = cells.max() if cells.size else np.nan
        assert found[i, j] == pytest.approx(expected, nan_ok=True)
