"""The table of entropies of a study, against every window read by itself."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from attn_core.__main__ import main
from attn_core.models.files import ModelSpec
from attn_core.models.language_head import entropies, language_head
from attn_core.models.loading import load
from attn_core.numerics.leave_one_out import interval_of_mean
from attn_core.study.opened import Study
from attn_core.texts.documents import read_document
from attn_core.texts.passages import read_passages
from tests.families import SERVED, save_whole
from tests.quick import quick_only
from tests.study.made_up import SENTENCES, write_corpus


def weighed_by_places(tables: list[pd.DataFrame]) -> pd.DataFrame:
    """The mean over the windows of a text."""
    places = pd.concat(tables).groupby("layer")["places"].sum()
    sums = sum(table.set_index("layer")[["entropy", "cross_entropy"]].mul(table["places"].iloc[0]) for table in tables)
    return sums.div(places, axis=0).assign(places=places)


@pytest.mark.parametrize("family", quick_only(["bert", "gpt2"], "bert"))
def test_entropy_is_the_mean_over_texts_and_a_model_without_a_head_has_none(
    family: str, tmp_path: Path, tiny: ModelSpec, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of texts that take one window and several."""
    model = load(ModelSpec(str(save_whole(tmp_path / "model", SERVED[family]))))
    texts, out = write_corpus(tmp_path / "texts", texts=5), tmp_path / "out"
    (texts / "005.txt").write_text(" ".join(SENTENCES * 8), encoding="utf-8")
    command = ["study", str(texts), "--entropy", "--share", "0.1", "--out", str(out), "--workers", "1"]
    assert main([*command, "--models", model.spec.name, tiny.name]) == 0
    assert f"{Path(tiny.name).name} has no entropies" in capsys.readouterr().err
    study, head = Study.open(out), language_head(model)
    assert set(study.table("entropies")["subject"]) == {study.subjects[0].name}
    found = study.of().table("entropies")
    documents = [read_document(file.read_text("utf-8"), "auto") for file in sorted(texts.iterdir())]
    windows = [read_passages(document, model.tokenizer, model.max_tokens) for document in documents]
    assert max(map(len, windows)) > 1
    of_texts = [weighed_by_places([entropies(model, head, passage) for passage in of_text]) for of_text in windows]
    for column in ("entropy", "cross_entropy"):
        by_text = np.array([table[column] for table in of_texts])
        assert found[column].to_numpy() == pytest.approx(by_text.mean(axis=0))
        bounds = [interval_of_mean(of_layer) for of_layer in by_text.T]
        assert found[[f"{column}_low", f"{column}_high"]].to_numpy() == pytest.approx(np.array(bounds))
    assert (found["places"] == sum(table["places"][0] for table in of_texts)).all() and (found["texts"] == 6).all()
    assert found["chance_entropy"].to_numpy() == pytest.approx(np.log2(model.network.config.vocab_size))
