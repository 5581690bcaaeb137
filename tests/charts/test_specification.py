"""What a page sends of a chart is the chart."""

import altair as alt
import numpy as np
import pandas as pd

from attn_core.charts.specification import vega_lite


def table(rows: int = 3, last: float = 0.5) -> pd.DataFrame:
    return pd.DataFrame({"x": np.arange(rows), "y": np.linspace(0, last, rows), "name": ["a"] * rows})


def test_the_specification_is_the_chart_s_with_its_tables_beside_it() -> None:
    base = alt.Chart(table()).encode(x=alt.X("x:Q"), y=alt.Y("y:Q"), text="name:N")
    line = alt.Chart(table(1)).mark_line().encode(x=alt.X("x:Q"))
    spec = vega_lite(alt.layer(base.mark_text(), line))
    assert [layer["mark"]["type"] for layer in spec["layer"]] == ["text", "line"]
    tables = {name: rows.to_pandas() for name, rows in spec["datasets"].items()}
    pd.testing.assert_frame_equal(tables[spec["layer"][0]["data"]["name"]], table(), check_dtype=False)
    assert len(tables[spec["layer"][1]["data"]["name"]]) == 1
    # Raises where it is not valid.
    alt.Chart.from_dict({name: part for name, part in spec.items() if name != "datasets"})


def test_other_numbers_have_another_name() -> None:
    """The browser draws a table again where its name is another."""
    names = {
        next(iter(vega_lite(alt.Chart(one).mark_point())["datasets"])) for one in (table(), table(), table(last=0.6))
    }
    assert len(names) == 2


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
