"""The canvas of maps: colours, what a map tells, a cell that is picked, a raster."""

from typing import Any

import numpy as np
import pytest

from attn_core.ui.components import matrix_canvas
from attn_core.ui.components.matrix_canvas import Panel, block_of, colour_cut, rastered

TOKENS = ["the", "sea", "."]


def test_colours_end_at_percentiles_off_the_diagonal_and_around_zero_at_both_sides() -> None:
    values = np.arange(10_000.0).reshape(100, 100)
    np.fill_diagonal(values, 1e9)
    low, high = colour_cut(values, "sequential")
    off = values[~np.eye(100, dtype=bool)]
    assert ((off < low).mean(), (off > high).mean()) == pytest.approx((0.005, 0.005), abs=1e-3)
    assert colour_cut(values - 20_000, "diverging") == (low - 20_000, 20_000 - low)


def test_a_map_is_sent_with_its_values_names_and_words(sent: list[dict[str, Any]]) -> None:
    values = np.array([[0.0, 2.0, 3.0], [4.0, np.inf, 6.0], [-1.0, 1.0, 0.5]])
    matrix_canvas.matrix_canvas([Panel("Match", values, "diverging")], TOKENS, ("tokens", "keys"), key="k")
    (shown,) = sent[0]["panels"]
    assert (sent[0]["names"], sent[0]["sides"]) == (["the", "sea", "full stop"], ["tokens", "keys"])
    assert shown["described"] == "Match: 3 tokens by as many keys, from -1 to 6."
    assert shown["ends"] == ["-5.9", "≥ 5.9"]
    np.testing.assert_array_equal(shown["values"], np.where(np.isfinite(values), values, np.nan))


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
