"""A study of a model without some heads has no numbers of them, and means of layers over the others."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from attn_core.head import Head
from attn_core.measures.roles import REMOVED
from attn_core.measures.window_counts import BY_LAYER
from attn_core.models.files import ModelSpec
from attn_core.study.corpus import Corpus
from attn_core.study.opened import Study
from attn_core.study.runner import run_study
from attn_core.study.subjects import Subject, spec_named, subject_name
from tests.study.conftest import SMALL
from tests.study.made_up import write_corpus

GONE = (Head.named("L1H2"), Head.named("L3H1"))
LISTED = ("anchors", "kinds", "text_roles", "sources", "examples", "relation_heads", "drift")  # only heads with numbers


@pytest.fixture(scope="module")
def study(tiny: ModelSpec, tmp_path_factory: pytest.TempPathFactory) -> Study:
    folder = tmp_path_factory.mktemp("removed")
    settings = replace(SMALL, every_setting=True, stable_roles=True, sources=True, rules=("same_word",))
    spec = spec_named(f"{tiny.name}+without:{','.join(map(str, GONE))}:zero")
    subjects = [Subject(subject_name(spec), spec, step=step) for step in (1, 2)]
    return run_study(Corpus(str(write_corpus(folder / "texts", texts=6))), subjects, folder / "study", settings)


def of(table: pd.DataFrame) -> set[Head]:
    return {Head.of_row(*row) for row in table[["layer", "head"]].to_numpy()}


def test_removed_heads_have_no_numbers(study: Study) -> None:
    tables = study.of()
    heads = tables.heads
    gone = heads["role"] == REMOVED
    assert of(heads[gone]) == set(GONE)
    statistics = [name.removesuffix("_low") for name in heads if name.endswith("_low") and name != "noise_rate_low"]
    values = heads[statistics].drop(columns=["noise_rate", "snr_db"], errors="ignore")
    assert values[gone].isna().all(axis=None) and values[~gone].notna().all(axis=None)
    by_text = study.table("text_heads")
    assert of(by_text[by_text["mean_distance"].isna()]) == set(GONE)
    for name in LISTED:
        assert of(study.table(name)) <= of(heads[~gone]), name
    assert of(study.table("text_roles")) == of(heads[~gone])
    assert not {*map(str, GONE)} & {*" ".join(study.table("relations")["score_heads"]).split()}


def test_layers_and_claims_are_of_the_other_heads(study: Study) -> None:
    tables = study.of()
    by_layer, layers = tables.heads.groupby("layer"), tables.layers
    for name in ("mean_distance", "separator_attention"):
        np.testing.assert_allclose(layers[name], by_layer[name].mean())
        assert layers[name].between(layers[f"{name}_low"], layers[f"{name}_high"]).all()
    claims = tables.claims_by_setting
    of_layers = claims["effect"].isin(["own_pairs", "repeating", "gathering", "anchored", "distinct"])
    assert claims.loc[of_layers, "reason"].str.startswith("Heads are removed").any()
    assert layers[[name for name in BY_LAYER if name in layers]].isna().all(axis=1).tolist() == [True, False, True]
    alike = claims.query("effect == 'separator_trend' and unit == 'tokens' and layout == 'plain' and share == 0.1")
    assert len(alike) > 3 and np.ptp(alike["value"]) < 1e-6  # of the study's setting, by head, and of others, by layer
