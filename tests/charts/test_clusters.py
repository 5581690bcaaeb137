"""The charts of the Specialization page, through their specifications."""

import numpy as np
import pandas as pd
import pytest

from attn_core.charts.clusters import profile_table, role_map, silhouette_curve
from attn_core.charts.style import BLANK
from attn_core.measures.clusters import FEATURES, Clustering, cluster_heads, cluster_profiles
from attn_core.measures.roles import FEW, MIXED, NAMES, ROLES
from attn_core.measures.statistics import STATISTICS

LABELS = {statistic.label for statistic in STATISTICS if statistic.feature}


def heads_table(layers: int = 3, heads: int = 4, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    layer, head = np.indices((layers, heads)).reshape(2, -1) + 1
    names = [*NAMES, MIXED.name]
    roles = [names[at % len(names)] for at in range(layers * heads)]
    table = pd.DataFrame(rng.normal(size=(layers * heads, len(FEATURES))), columns=FEATURES)
    return table.assign(
        layer=layer, head=head, role=roles, second_role="", role_rule="a rule", anchor="the", repeated_tokens=""
    ).assign(pairs=1000, chance_anchor_coverage=-9.0)


@pytest.fixture
def heads() -> pd.DataFrame:
    return heads_table()


@pytest.fixture
def clustering(heads: pd.DataFrame) -> Clustering:
    return cluster_heads(heads, number=3)


def rows(spec: dict, layer: int) -> list[dict]:
    """The data that a layer of a chart draws."""
    data = spec["layer"][layer].get("data") or spec["data"]
    return spec["datasets"][data["name"]]


def test_the_silhouette_stands_beside_its_chance_level_and_the_chosen_number_is_marked() -> None:
    spec = silhouette_curve({2: 0.4, 3: 0.3}, {2: 0.2, 3: 0.18}, chosen=2).to_dict()
    assert [(row["clusters"], row["silhouette"], row["chance"]) for row in rows(spec, 0)] == [
        (2, 0.4, 0.2),
        (3, 0.3, 0.18),
    ]
    dashed = [layer for layer in spec["layer"] if "strokeDash" in layer["mark"]]
    assert dashed[0]["encoding"]["y"]["field"] == "chance"
    assert "datum.clusters == 2" in str(spec["layer"][-1]["encoding"]["size"])


def test_no_number_of_a_profile_is_minus_zero() -> None:
    profiles = pd.DataFrame({"cluster": 1, "heads": 2, "feature": FEATURES[:3], "z": [-0.04, -0.004, -1.25]})
    cells = rows(profile_table(profiles).to_dict(), 0)
    assert [cell["shown"] for cell in cells] == ["+0.0", "+0.0", "-1.2"]
    assert [str(cell["z"]) for cell in cells] == ["-0.04", "0.0", "-1.25"]


def test_profiles_name_clusters_and_statistics(clustering: Clustering) -> None:
    spec = profile_table(cluster_profiles(clustering)).to_dict()
    cells = rows(spec, 0)
    assert len(cells) == 3 * len(FEATURES)
    assert {cell["statistic"] for cell in cells} == LABELS
    assert all(f"({cell['heads']} head" in cell["name"] for cell in cells)
    limits = spec["layer"][0]["encoding"]["color"]["scale"]["domain"]
    assert limits[0] == -limits[-1]


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
