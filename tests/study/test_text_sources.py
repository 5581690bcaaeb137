"""Sources in the texts of a study, against the analysis of each text alone; shards of any size give the same tables."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from attn_core.analysis.one_text import analyze
from attn_core.errors import InputError
from attn_core.models.files import ModelSpec
from attn_core.similarity.strong_pairs import Settings
from attn_core.study.runner import run_study
from attn_core.study.settings import StudySettings
from attn_core.study.subjects import with_baselines
from tests.families import TEXT
from tests.study.made_up import write_texts

SENTENCES = TEXT.replace("!", ".").replace("?", ".").split(". ")


def test_sources_are_those_of_each_text_alone(tiny: ModelSpec, tmp_path: Path) -> None:
    texts = [". ".join(np.random.default_rng(n).choice(SENTENCES, 12)) + "." for n in range(5)] + ["The tide rose."]
    corpus = write_texts(tmp_path / "texts", {f"{number}.txt": text for number, text in enumerate(texts)})
    settings = StudySettings(Settings(share=0.03), sources=True, min_tokens=0, language="en")
    subjects = with_baselines([tiny], ["untrained"], seeds=1)
    study = run_study(corpus, subjects, tmp_path / "study", settings)
    alone = pd.concat(analyze(text, tiny, Settings(share=0.03), language="en").sources for text in texts[:-1])
    first = alone[alone["rank"] == 1]  # the last text has too few pairs
    of_head = ["layer", "head", "token_id"]
    expected = first.groupby(of_head).agg(texts=("rank", "size"), share=("share", "mean"))
    found = study.of().table("sources").set_index(of_head).sort_index()
    assert found["texts"].tolist() == expected["texts"].tolist() and (expected["texts"] > 1).any()
    np.testing.assert_allclose(found["share"], expected["share"], rtol=1e-4)
    excess = (first["share"] - first["chance_share"]).groupby(first["layer"]).mean()
    by_layer = study.of().table("source_excess")
    np.testing.assert_allclose(by_layer["source_excess"], excess, rtol=1e-4)
    assert (by_layer["source_excess_low"] < excess.to_numpy()).all() and (by_layer["texts"] == 5).all()
    every = study.table("source_excess")
    assert every["subject"].nunique() == study.table("sources")["subject"].nunique() == 2
    again = run_study(corpus, subjects, tmp_path / "again", replace(settings, shard_characters=400))
    for name in ("sources", "source_excess"):
        pd.testing.assert_frame_equal(study.table(name), again.table(name))


def test_sources_under_the_centred_cosine_are_refused() -> None:
    with pytest.raises(InputError, match="scalar product or the cosine"):
        StudySettings(Settings("centred"), sources=True)
