"""The chart of distances colours by doublings."""

from attn_core.charts.distances import distances_at_a_glance
from attn_core.measures.window_counts import add_up, count_window
from tests.measures.made_up import made_passage, measured, random_choice

BINNED = add_up([count_window(measured(random_choice(made_passage([0] * 30), 40, seed=1)))]).distance_bins


def test_the_overview_colours_by_doublings_around_chance() -> None:
    chart = distances_at_a_glance(BINNED.head(3).assign(ratio=[1.0, 8.0, 0.0]), "words")
    assert chart.to_dict()["layer"][0]["encoding"]["x"]["title"] == "distance (words)"
    (rows,) = (rows for rows in chart.to_dict()["datasets"].values() if "doublings" in rows[0])
    assert [row["doublings"] for row in rows] == [0, 3, -4]  # nothing at all counts as a sixteenth
