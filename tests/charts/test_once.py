import altair as alt
import numpy as np
import pandas as pd
import pytest

from attn_core.charts import once as charts
from attn_core.charts.distances import layer_curve
from attn_core.charts.once import once, vega_lite
from attn_core.measures.statistics import BY_NAME


@once
def dots(table: pd.DataFrame, colour: str = "red") -> alt.LayerChart:
    base = alt.Chart(table).encode(x=alt.X("x:Q"), y=alt.Y("y:Q"))
    return alt.layer(base.mark_point(color=colour), alt.Chart(table.head(1)).mark_line().encode(x=alt.X("x:Q")))


def table(rows: int = 3, last: float = 0.5) -> pd.DataFrame:
    return pd.DataFrame({"x": np.arange(rows), "y": np.linspace(0, last, rows), "name": ["a"] * rows})


def test_equal_tables_give_one_chart_and_any_difference_gives_another() -> None:
    chart = dots(table())
    assert dots(table()) is chart
    assert dots(table(last=0.6)) is not chart
    assert dots(table(), colour="blue") is not chart
    assert dots(table().rename(columns={"name": "label"})) is not chart
    assert dots(table().astype({"x": float})) is not chart


def test_the_last_cell_of_a_large_table_counts() -> None:
    """Streamlit's own caches take a sample of tables from 50,000 rows on."""
    long = table(60_000)
    changed = long.copy()
    changed.loc[59_999, "y"] = -1.0
    assert dots(long) is not dots(changed)


def test_the_specification_is_the_chart_s_with_its_tables_beside_it() -> None:
    spec = vega_lite(dots(table()))
    assert [layer["mark"]["type"] for layer in spec["layer"]] == ["point", "line"]
    tables = {name: rows.to_pandas() for name, rows in spec["datasets"].items()}
    pd.testing.assert_frame_equal(tables[spec["layer"][0]["data"]["name"]], table(), check_dtype=False)
    assert len(tables[spec["layer"][1]["data"]["name"]]) == 1
    # Raises where it is not valid.
    alt.Chart.from_dict({name: part for name, part in spec.items() if name != "datasets"})


def test_a_table_travels_once_and_without_the_columns_that_nothing_draws() -> None:
    wide = table().assign(distance=[1.0, 2.0, 3.0], elsewhere=0.0)
    base = alt.Chart(wide).encode(x=alt.X("x:Q"))
    chart = alt.layer(
        base.mark_point(), alt.Chart(table(2)).mark_line(), base.mark_rule().transform_filter("datum.distance > 1")
    )
    drawn = sorted((rows.column_names for rows in vega_lite(chart)["datasets"].values()), key=len)
    assert drawn == [["x", "name"], ["x", "name", "distance"]]  # every table has a name
    assert vega_lite(chart)["config"]["mark"]["aria"] is False  # an alternative text stands for the whole
    assert len(chart.to_dict()["datasets"]) == 2  # rows, where the chart itself is asked


def test_a_specification_is_made_once_and_not_of_a_chart_that_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(charts, "KEPT", 1)
    first = dots(table(last=0.7))
    assert vega_lite(first)["datasets"] is vega_lite(first)["datasets"]
    dots(table(last=0.8))
    assert id(first) not in charts._specs


def test_a_page_s_chart_is_kept() -> None:
    distance = BY_NAME["mean_distance"]
    numbers = {
        "layer": [1, 2],
        "head": [1, 1],
        distance.name: [3.0, 4.0],
        distance.chance: 5.0,
        "anchor": "a",
        "anchor_coverage": 0.5,
        "chance_anchor_coverage": 0.1,
        "role": "b",
    }
    assert layer_curve(pd.DataFrame(numbers), pd.DataFrame(numbers), distance) is layer_curve(
        pd.DataFrame(numbers), pd.DataFrame(numbers), distance
    )
