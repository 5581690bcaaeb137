"""The charts of the Specialization page, through their specifications."""

import numpy as np
import pandas as pd
import pytest

from attn_core.charts.clusters import (
    LABEL,
    PICTURE,
    POINT,
    label_offsets,
    profile_table,
    projection,
    role_map,
    silhouette_curve,
)
from attn_core.head import Head
from attn_core.measures.clusters import FEATURES, Clustering, cluster_heads, cluster_profiles
from attn_core.measures.roles import BY_NAME
from attn_core.measures.statistics import STATISTICS

LABELS = {statistic.label for statistic in STATISTICS if statistic.feature}


def heads_table(layers: int = 3, heads: int = 4, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    layer, head = np.indices((layers, heads)).reshape(2, -1) + 1
    names = list(BY_NAME)
    roles = [names[at % len(names)] for at in range(layers * heads)]
    table = pd.DataFrame(rng.normal(size=(layers * heads, len(FEATURES))), columns=FEATURES)
    return table.assign(layer=layer, head=head, role=roles, role_rule="a rule", anchor="the")


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


def test_every_head_is_a_labelled_point_that_a_click_selects(heads: pd.DataFrame, clustering: Clustering) -> None:
    spec = projection(heads, clustering, Head.of_row(1, 2), Head.of_row(3, 4)).to_dict()
    points = rows(spec, 0)
    assert [(row["layer"], row["head"]) for row in points] == list(zip(heads["layer"], heads["head"], strict=True))
    assert points[1]["name"] == "L1H2"
    assert {row["cluster"] for row in points} == {"cluster 1", "cluster 2", "cluster 3"}
    encoding = spec["layer"][0]["encoding"]
    assert encoding["color"]["field"] == "cluster"
    assert encoding["shape"]["field"] == "role"
    assert spec["layer"][1]["encoding"]["text"]["field"] == "name"
    assert f"{clustering.explained[0]:.0%} of the variance" in encoding["x"]["title"]
    click = next(param for param in spec["params"] if param["name"] == "cell")
    assert click["select"]["fields"] == ["layer", "head"]


def test_heads_a_and_b_are_ringed(heads: pd.DataFrame, clustering: Clustering) -> None:
    spec = projection(heads, clustering, Head.of_row(1, 2), Head.of_row(3, 4)).to_dict()
    rings = [(row["which"], row["name"]) for layer in (2, 4) for row in rows(spec, layer)]
    assert rings == [("A", "L1H2"), ("B", "L3H4")]


def test_labels_stay_at_their_points_and_off_each_other() -> None:
    points = np.random.default_rng(0).uniform(size=(30, 2))
    offsets = label_offsets(points)
    nearest = np.maximum(np.abs(offsets) - LABEL / 2, 0)  # from the point to the label's edge
    assert (np.hypot(*nearest.T) <= 16).all()
    assert (np.abs(offsets) >= (LABEL + POINT) / 2 - 1).any(axis=1).all()  # beside the point, not on it
    places = (points - points.min(axis=0)) / np.ptp(points, axis=0) * PICTURE * [1, -1] + offsets
    gaps = np.abs(places[:, None] - places)[~np.eye(30, dtype=bool)] / LABEL
    assert (gaps < 0.9).all(axis=1).mean() < 0.01
    assert label_offsets(np.zeros((3, 2))).shape == (3, 2)


def test_a_label_is_drawn_by_pixels_from_its_point(heads: pd.DataFrame, clustering: Clustering) -> None:
    points, labels, *_ = projection(heads, clustering, Head.of_row(1, 2), Head.of_row(3, 4)).to_dict()["layer"]
    for axis in ("x", "y"):
        assert labels["encoding"][axis]["field"] == points["encoding"][axis]["field"]
    assert (labels["mark"]["dx"], labels["mark"]["dy"]) == ({"expr": "datum.dx"}, {"expr": "datum.dy"})


def test_the_silhouette_stands_beside_its_chance_level_and_the_chosen_number_is_marked() -> None:
    spec = silhouette_curve({2: 0.4, 3: 0.3}, {2: 0.2, 3: 0.18}, chosen=2).to_dict()
    assert [(row["clusters"], row["silhouette"], row["chance"]) for row in rows(spec, 0)] == [
        (2, 0.4, 0.2),
        (3, 0.3, 0.18),
    ]
    dashed = [layer for layer in spec["layer"] if "strokeDash" in layer["mark"]]
    assert dashed[0]["encoding"]["y"]["field"] == "chance"
    assert "datum.clusters == 2" in str(spec["layer"][-1]["encoding"]["size"])


def test_profiles_name_clusters_and_statistics(clustering: Clustering) -> None:
    spec = profile_table(cluster_profiles(clustering)).to_dict()
    cells = rows(spec, 0)
    assert len(cells) == 3 * len(FEATURES)
    assert {cell["statistic"] for cell in cells} == LABELS
    assert all(f"({cell['heads']} head" in cell["name"] for cell in cells)
    limits = spec["layer"][0]["encoding"]["color"]["scale"]["domain"]
    assert limits[0] == -limits[-1]


def test_the_map_of_roles_has_a_word_and_a_colour_of_its_own_for_each(heads: pd.DataFrame) -> None:
    spec = role_map(heads, Head.of_row(1, 1), Head.of_row(1, 1)).to_dict()
    assert {row["short"] for row in rows(spec, 0)} == {"rep", "near", "sep", "sent", "anch", "-"}
    scale = spec["layer"][0]["encoding"]["color"]["scale"]
    assert scale["domain"] == list(BY_NAME)
    assert len(set(scale["range"])) == len(BY_NAME)
    assert "role_rule" in str(spec["layer"][0]["encoding"]["tooltip"])
