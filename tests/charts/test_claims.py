"""The picture of the claims shows the numbers of its table, every row on its own axis."""

import altair as alt
import pandas as pd
import pytest

from attn_core.charts.claims import MARKS, MOST, ZONES, claim_picture
from attn_core.findings.bars import BY_EFFECT, Effect, judged
from attn_core.findings.table import OF_CLAIMS, claims_table
from attn_core.findings.verdicts import Finding

NOT_ASKED = Finding(BY_EFFECT["separators"], "No separator.", "not asked", "", "No separator.", None)


def finding(effect: str, value: float, low: float, high: float) -> Finding:
    measured = Effect(BY_EFFECT[effect], value, low, high, 0.0, 40, "texts")
    judgement = judged(measured, {})
    return Finding(measured.bars, "", judgement.verdict, judgement.unclear, judgement.reason, measured)


@pytest.fixture
def claims() -> pd.DataFrame:
    found = [
        finding("reach", -0.25, -0.35, -0.15), finding("repeating", 9.0, 8.0, 9.5), finding("anchored", 0.3, 0.2, 0.4),
        NOT_ASKED,
    ]  # fmt: skip
    return claims_table(found, {"untrained": {"reach": 0.05, "repeating": 0.0}}, {"reach": "learned"})


def between(effect: str, value: float) -> float:
    """Where a value lies: 0 at the bar against the paper, 1 at the paper's."""
    bars = BY_EFFECT[effect]
    return (value - bars.against) / (bars.paper - bars.against)


def data_of(chart: alt.LayerChart, column: str) -> pd.DataFrame:
    """The table of the layer that has the column."""
    return next(layer.data for layer in chart.layer if isinstance(layer.data, pd.DataFrame) and column in layer.data)


def test_the_table_has_a_row_a_finding_with_what_stands_beside_it(claims: pd.DataFrame) -> None:
    assert list(claims.columns) == list(OF_CLAIMS)
    reach, repeating, _, separators = claims.to_dict("records")
    assert (reach["claimed"], reach["figure"]) == ("C2 They reach less far at the end", -0.3)
    assert (reach["learned"], reach["untrained_number"]) == ("learned", "+5%")
    assert repeating["learned"] == "" and pd.isna(repeating["permuted"]) and repeating["permuted_number"] == ""
    assert separators["verdict"] == "not asked" and pd.isna(separators["value"]) and separators["number"] == ""


def test_bars_of_all_rows_stand_at_nought_and_one_and_the_paper_lies_to_the_right(claims: pd.DataFrame) -> None:
    points = data_of(claim_picture(claims), "mark")
    at = points.set_index(["claimed", "mark"])["x"]
    reach = "C2 They reach less far at the end"
    assert at[reach, MARKS["value"][0]] == pytest.approx(between("reach", -0.25))
    assert at[reach, MARKS["untrained"][0]] == pytest.approx(between("reach", 0.05))
    assert at[reach, MARKS["figure"][0]] == pytest.approx(between("reach", -0.3))
    assert at["C5 Each head has an anchor token", MARKS["value"][0]] == pytest.approx(between("anchored", 0.3))
    zones = data_of(claim_picture(claims), "zone")
    assert zones["zone"].tolist()[:3] == list(ZONES)
    assert zones["x"].tolist()[1:3] == [0, 1]


def test_what_lies_beyond_the_axis_stands_at_its_end_with_an_arrow(claims: pd.DataFrame) -> None:
    points = data_of(claim_picture(claims), "mark")
    far = points[(points["claimed"] == "C4 Some heads pair repetitions") & (points["mark"] == MARKS["value"][0])]
    assert (
        far["at"].item() == pytest.approx(between("repeating", 9.0))
        and far["x"].item() == MOST[1]
        and "»" in far["beyond"].item()
    )
