"""The charts of the Specialization page, through their specifications."""

import numpy as np
import pandas as pd
import pytest

from attn_core.charts.clusters import role_map
from attn_core.charts.style import BLANK
from attn_core.measures.clusters import FEATURES
from attn_core.measures.roles import FEW, MIXED, NAMES, ROLES


def heads_table(layers: int = 3, heads: int = 4, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    layer, head = np.indices((layers, heads)).reshape(2, -1) + 1
    names = [*NAMES, MIXED.name]
    roles = [names[at % len(names)] for at in range(layers * heads)]
    table = pd.DataFrame(rng.normal(size=(layers * heads, len(FEATURES))), columns=FEATURES)
    return table.assign(
        layer=layer, head=head, role=roles, second_role="", role_rule="a rule", anchor="the", repeated_tokens=""
    ).assign(pairs=1000, windows=1, chance_anchor_coverage=-9.0)


@pytest.fixture
def heads() -> pd.DataFrame:
    return heads_table()


def rows(spec: dict, layer: int) -> list[dict]:
    """The data that a layer of a chart draws."""
    data = spec["layer"][layer].get("data") or spec["data"]
    return spec["datasets"][data["name"]]


def test_the_map_of_roles_has_a_word_and_a_colour_of_its_own_for_each(heads: pd.DataFrame) -> None:
    spec = role_map(heads).to_dict()
    assert {row["short"] for row in rows(spec, 0)} == {role.short for role in (*ROLES, MIXED)}
    assert len({role.short for role in (*ROLES, MIXED)}) == len(ROLES) + 1
    scale = spec["layer"][0]["encoding"]["color"]["scale"]
    assert scale["domain"] == [*NAMES, MIXED.name]
    assert len(set(scale["range"])) == len(ROLES) + 1
    assert "role_rule" in str(spec["layer"][0]["encoding"]["tooltip"])
    few = role_map(heads.assign(role=FEW.name, pairs=29)).to_dict()
    assert few["layer"][0]["encoding"]["color"] == {"value": BLANK}
