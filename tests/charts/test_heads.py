"""The map of heads and the crop of a matrix, through their specifications."""

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

from attn_core.charts.heads import head_map
from attn_core.charts.style import BLANK, DARK_INK
from attn_core.measures.statistics import STATISTICS, Statistic


def made_heads(layers: int = 2, heads: int = 3) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    cells = pd.DataFrame(product(range(1, layers + 1), range(1, heads + 1)), columns=["layer", "head"])
    values = {column: rng.random(len(cells)) for s in STATISTICS for column in (s.name, s.chance)}
    values["chance_anchor_coverage"] = 0.0
    return cells.assign(
        **values,
        anchor=["the", "<b>", "=", "##s", "é", "."],
        repeated_tokens="the <b>",
        role="mixed",
        pairs=1000,
        windows=1,
    )


def rows(spec: dict[str, Any]) -> list[dict[str, Any]]:
    """The data of a chart."""
    return spec["datasets"][spec["data"]["name"]]


@pytest.mark.parametrize("statistic", STATISTICS, ids=lambda statistic: statistic.name)
def test_every_statistic_has_a_map_of_its_values_coloured_by_their_excess_over_chance(statistic: Statistic) -> None:
    heads = made_heads()
    spec = head_map(heads, statistic).to_dict()
    cells, numbers = spec["layer"][:2]
    assert cells["encoding"]["color"]["field"] == "excess"
    assert numbers["encoding"]["text"]["field"] == statistic.name
    for row, head in zip(rows(spec), heads.to_dict("records"), strict=True):
        assert {name: row[name] for name in ("layer", "head", statistic.name, statistic.chance, "role")} == {
            name: head[name] for name in ("layer", "head", statistic.name, statistic.chance, "role")
        }
        excess = head[statistic.name] - head[statistic.chance]
        assert row["excess"] == pytest.approx(max(excess, 0) if statistic.only_above else excess)
    assert [row["anchor"] for row in rows(spec)] == ["the", "<b>", "=", "##s", "é", "full stop"]


@pytest.mark.parametrize("statistic", STATISTICS, ids=lambda statistic: statistic.name)
def test_too_few_pairs_have_no_colour_and_attention_knows_no_pairs(statistic: Statistic) -> None:
    chart = head_map(made_heads().assign(pairs=29), statistic)
    cells, numbers = chart.to_dict()["layer"][:2]
    blank = statistic.name != "separator_attention"
    assert (cells["encoding"]["color"] == {"value": BLANK}) == blank
    assert (numbers["encoding"]["color"] == {"value": DARK_INK}) == blank
    assert ("too few strong pairs" in chart.description) == blank
