"""What stands in the cells of a figure, and the colours of those that say nothing."""

import io
from base64 import b64decode

import altair as alt
import numpy as np
import pandas as pd
import pytest
from PIL import Image

from attn_core.charts.anchors import anchor_grid, token_map
from attn_core.charts.curve import layer_curve
from attn_core.charts.groups import role_map
from attn_core.charts.head_map import statistic_map
from attn_core.charts.interventions import ROUNDING, removal_map
from attn_core.charts.pairs import distances_at_a_glance
from attn_core.charts.style import BLANK, LIGHT_INK, VIRIDIS, ramp
from attn_core.charts.word_grid import matrix
from attn_core.measures.roles import FEW
from attn_core.measures.statistics import BY_NAME, STATISTICS, Statistic
from tests.charts.figures import BINNED, COVERED, HEADS, MEANS, REMOVED

FEW_PAIRS = HEADS.assign(role=FEW, pairs=29)


def rows(chart: alt.LayerChart, column: str = "word") -> pd.DataFrame:
    """The table behind the marks of a chart that has a column."""
    tables = (pd.DataFrame(table) for table in chart.to_dict()["datasets"].values())
    return next(table for table in tables if column in table)


def shade(chart: alt.LayerChart) -> dict:
    return chart.to_dict()["layer"][0]["encoding"]["color"]


@pytest.mark.parametrize("statistic", STATISTICS, ids=lambda statistic: statistic.name)
def test_every_statistic_has_a_map_of_its_values_coloured_by_their_excess_over_chance(statistic: Statistic) -> None:
    chart = statistic_map(HEADS, statistic)
    drawn, excess = rows(chart), HEADS[statistic.name] - HEADS[statistic.chance]
    assert shade(chart)["field"] == "excess"
    assert drawn["excess"].to_numpy() == pytest.approx(excess.clip(lower=0) if statistic.only_above else excess)
    factor = 100 if statistic.unit == "share" else 1
    printed = drawn["word"].str.rstrip("%").astype(float)
    assert printed.to_numpy() == pytest.approx(factor * HEADS[statistic.name], abs=0.5)
    assert (shade(statistic_map(FEW_PAIRS, statistic)) == {"value": BLANK}) == statistic.of_pairs
    assert ("too few strong pairs" in str(statistic_map(FEW_PAIRS, statistic).description)) == statistic.of_pairs


@pytest.mark.parametrize(
    "chart",
    [role_map(FEW_PAIRS), token_map(COVERED.assign(pairs=29)), anchor_grid(COVERED.assign(is_anchor=False)),
     removal_map(REMOVED.assign(importance=ROUNDING), "measured"), removal_map(REMOVED.assign(importance=np.nan), "")],
    ids=["roles", "token", "no anchor", "rounding", "not measured"],
)  # fmt: skip
def test_cells_that_say_nothing_have_no_colour(chart: alt.LayerChart) -> None:
    assert shade(chart) == {"value": BLANK}


def test_a_head_without_an_anchor_has_a_dash() -> None:
    words = rows(anchor_grid(COVERED.assign(is_anchor=COVERED["head"] == 1)))["word"]
    assert [word == "–" for word in words] == (COVERED["head"] > 1).tolist()
    assert words[0] == "(every)\nthing"


def test_distances_are_coloured_by_doublings_around_chance() -> None:
    drawn = rows(distances_at_a_glance(BINNED.head(3).assign(ratio=[1.0, 8.0, 0.0]), "words"))
    assert drawn["doublings"].tolist() == [0, 3, -4]  # nothing at all counts as a sixteenth
    assert drawn["word"].tolist() == ["1.0", "8.0", "0.0"]
    assert (drawn["ink"] == LIGHT_INK).tolist() == [False, False, True]


def test_the_picture_of_a_matrix_has_the_colour_of_each_cell() -> None:
    cells = pd.DataFrame([[0.0, 0.5, 1.0], [2.0, np.nan, -1.0]], ["a", "b"], ["c", "d", "e"])
    spec = matrix(cells, "similarity", "sequential", (0.0, 1.0)).to_dict()
    (url,) = (rows[0]["url"] for rows in spec["datasets"].values() if rows and "url" in rows[0])
    picture = np.asarray(Image.open(io.BytesIO(b64decode(url.partition(",")[2]))))
    points = picture.shape[1] // 3
    seen = picture[points // 2 :: points, points // 2 :: points]
    np.testing.assert_array_equal(seen, ramp(VIRIDIS)[[[0, 127, 255], [255, 0, 0]]])


def test_copies_far_beyond_the_model_do_not_press_it_to_the_floor() -> None:
    statistic, name = BY_NAME["mean_distance"], "untrained copy"
    for factor, pressed in ((1.5, False), (20.0, True)):
        copies = {name: MEANS.assign(mean_distance=factor * HEADS["mean_distance"].max())}
        spec = layer_curve(HEADS, MEANS, statistic, copies).to_dict()
        scale = spec["layer"][0]["encoding"]["y"]["scale"]
        assert scale.get("clamp", False) == pressed and ("beyond" in str(spec["layer"][0]["encoding"]["x"])) == pressed
        assert not pressed or scale["domain"] == [0, pytest.approx(1.1 * HEADS["mean_distance"].max())]
