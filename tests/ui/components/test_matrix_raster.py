"""A map of more cells than points: what a point of its raster is, and which cells are shown as they are."""

from typing import Any

import numpy as np
import pytest
import streamlit as st

from attn_core.ui.components import matrix_canvas, matrix_panel
from attn_core.ui.components.matrix_panel import Axis, Panel, block_of, part_at, rastered
from attn_core.ui.components.packed import BLANK


@pytest.fixture
def small_side(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix_panel, "SIDE", 4)
    monkeypatch.setattr(matrix_canvas, "SIDE", 4)


@pytest.mark.usefixtures("small_side")
@pytest.mark.parametrize("n", [4, 5, 8, 11])
def test_a_point_is_the_maximum_of_its_cells(n: int) -> None:
    values = np.random.default_rng(n).normal(size=(n, n))
    values[0, 1] = values[n - 1, n - 1] = np.nan
    found, block = rastered(values), block_of(n)
    assert len(found) <= 4
    for i, j in np.ndindex(*found.shape):
        cells = values[i * block : (i + 1) * block, j * block : (j + 1) * block]
        cells = cells[np.isfinite(cells)]
        expected = cells.max() if cells.size else np.nan
        assert found[i, j] == pytest.approx(expected, nan_ok=True)


@pytest.mark.usefixtures("small_side")
@pytest.mark.parametrize(
    ("centre", "starts"), [((0, 0), (0, 0)), ((5.4, 99), (3, 7)), ((6, 2), (4, 0)), ((-3, 11), (0, 7))]
)
def test_the_part_around_a_place_lies_in_the_map(centre: tuple[float, float], starts: tuple[int, int]) -> None:
    part = part_at(centre, 11)
    assert [one.start for one in part] == list(starts)
    assert all(one.stop - one.start == 4 for one in part)


@pytest.mark.usefixtures("small_side")
def test_where_one_zooms_the_cells_themselves_are_sent(
    sent: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    values = np.arange(121.0).reshape(11, 11)

    def drawn() -> dict[str, Any]:
        matrix_canvas.matrix_canvas([Panel("L1H1: context similarity", values)], Axis(list("abcdefghijk")), key="k")
        return sent[-1]

    whole = drawn()
    (panel,) = whole["panels"]
    assert (whole["block"], whole["detail"], panel["codes"].size) == (3, None, 16)
    assert "cells" not in panel
    assert "values run from 0 to 120" in panel["note"]
    assert "Seen whole, a point is the maximum of 3 x 3 cells" in panel["note"]
    monkeypatch.setattr(st, "session_state", {"k": {"looked": [6, 8]}})
    zoomed = drawn()
    (panel,) = zoomed["panels"]
    assert zoomed["detail"] == [4, 6, 4]
    low, high = panel["cells"]["range"]
    cells = low + panel["cells"]["codes"].reshape(4, 4) * (high - low) / (BLANK - 1)
    np.testing.assert_allclose(cells, values[4:8, 6:10], atol=1e-3)
    assert panel["range"] == [24.0, 120.0]  # the maxima of the first block and of the last
    assert panel["cut"] == whole["panels"][0]["cut"]  # colours mean the same, near and far
