"""Removed heads: no statistics, no role and no pair, in a model whose heads are replaced and in one saved without."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import attn_core
from attn_core import Analysis
from attn_core.charts.catalogue import TEXT as OF_TEXT
from attn_core.charts.catalogue import Tables, draw_figure
from attn_core.head import Head
from attn_core.measures.clusters import cluster_heads
from attn_core.measures.roles import REMOVED
from attn_core.measures.statistics import BY_NAME, STATISTICS
from attn_core.models.files import ModelSpec
from attn_core.models.removal import Removal
from attn_core.models.saving import save_without
from tests.ui.pages import text_of

GONE = (Head.named("L1H2"), Head.named("L2H1"), Head.named("L2H3"))
TEXT = text_of("Pronouns")
NAMES = [one.name for one in STATISTICS if one.name not in ("noise_rate", "snr_db")]  # a tiny model reads no reference


@pytest.fixture(scope="module", params=["mean", "even", "saved"])
def without(request: pytest.FixtureRequest, tiny: ModelSpec, tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    model = attn_core.load(tiny)
    assert model.removed == ()
    if request.param != "saved":
        return attn_core.analyze(TEXT, attn_core.ablate(model, GONE, request.param))
    folder = tmp_path_factory.mktemp("saved") / "without"
    save_without(model, Removal(GONE, "mean"), Path(folder), "a card")
    return attn_core.analyze(TEXT, ModelSpec(str(folder)))


def of(table: pd.DataFrame) -> set[Head]:
    return {Head.of_row(*row) for row in table[["layer", "head"]].to_numpy()}


def test_they_have_no_statistics_no_role_and_no_pairs(without: Analysis) -> None:
    assert without.reading.model.removed == GONE
    heads = without.heads
    gone = heads["role"] == REMOVED
    assert of(heads[gone]) == set(GONE) == of(without.roles[without.roles["stable_role"] == REMOVED])
    values = heads[NAMES]
    assert values[gone].isna().all(axis=None) and values[~gone].notna().all(axis=None)
    assert (heads.loc[gone, ["anchor", "second_role", "repeated_tokens"]] == "").all(axis=None)
    assert (heads.loc[gone, "cluster"] == 0).all() and (heads.loc[~gone, "cluster"] > 0).all()
    for table in (without.pairs, without.anchors, without.kinds, without.distances, without.reach):
        assert of(table) == of(heads[~gone])


def test_a_layer_has_the_means_of_the_heads_that_are_left(without: Analysis) -> None:
    layers, heads = without.layers, without.heads
    for name in ("mean_distance", "anchor_coverage", "separator_attention"):
        expected = [heads.loc[heads["layer"] == layer, name].dropna().mean() for layer in layers["layer"]]
        assert layers[name].to_numpy() == pytest.approx(np.array(expected))
    assert layers["anchor_uniqueness"].isna().tolist() == [True, True, False]
    shares = without.distance_bins.groupby("layer")["share"].sum()
    assert shares.to_numpy() == pytest.approx(np.ones(3))


def test_heads_before_a_removed_one_are_as_they_were(without: Analysis, tiny: ModelSpec) -> None:
    whole = attn_core.analyze(TEXT, tiny)
    same = [at for at, head in enumerate(whole.heads[["layer"]].to_numpy()) if head == 1 and at != 1]
    pd.testing.assert_frame_equal(without.heads.loc[same, NAMES], whole.heads.loc[same, NAMES], rtol=1e-3)


def test_every_figure_of_the_text_is_drawn(without: Analysis) -> None:
    tables = {"heads": without.heads, "kinds": without.kinds, "anchors": without.anchors, "layers": without.layers}
    of_text = Tables(OF_TEXT, tables, tables.__getitem__)
    for name, *statistics in (("roles",), ("heads", "near_share"), ("heads", "mean_distance"), ("kinds",),
                              ("anchors",), ("uniqueness",), ("layers", "mean_distance")):  # fmt: skip
        drawn = draw_figure(name, of_text, *statistics).chart.to_dict()
        assert "nan" not in drawn["description"]
    cells = draw_figure("heads", of_text, BY_NAME["near_share"].name).chart.data
    assert of(cells[cells["word"] == "–"]) == set(GONE) == of(cells[cells["opacity"] < 1])
    assert not cluster_heads(without.heads).z_scores.dropna().empty
