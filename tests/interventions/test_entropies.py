"""Entropy by layer, against transformers' own whole model."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
import transformers as hf

from attn_core.__main__ import main
from attn_core.errors import ModelError
from attn_core.interventions.losses import entropies, losses_of, targets_of
from attn_core.interventions.opened import open_ablation
from attn_core.models.files import ModelSpec
from attn_core.models.language_head import LanguageHead, language_head
from attn_core.models.loading import load
from attn_core.models.records import LoadedModel
from attn_core.numerics.leave_one_out import interval_of_mean
from attn_core.texts.documents import read_document
from attn_core.texts.passages import Passage, read_passages
from tests.families import SERVED, save_whole
from tests.study.made_up import SENTENCES, write_corpus

Read = Callable[[LoadedModel, str], Passage]
TEXT = "The tide rose and covered the old pier. Who tied them so short? Nobody knew, and the tea is cold by noon."
Whole = tuple[LoadedModel, LanguageHead, Any]


@pytest.fixture(params=["bert", "gpt2", "llama", "deberta"])
def whole(request: pytest.FixtureRequest, tmp_path: Path) -> Whole:
    """A model, its head, and the same as transformers loads it whole."""
    folder = save_whole(tmp_path, SERVED[request.param])
    model = load(ModelSpec(str(folder)))
    kind: Any = hf.AutoModelForCausalLM if model.causal else hf.AutoModelForMaskedLM
    return model, language_head(model), kind.from_pretrained(folder, attn_implementation="eager").eval()


def test_the_last_layer_says_what_the_whole_model_says(whole: Whole, read: Read) -> None:
    model, head, network = whole
    passage = read(model, TEXT)
    here = targets_of(model, passage)
    with torch.inference_mode():
        logits = network(input_ids=torch.from_numpy(here.passage.token_ids)[None]).logits[0, here.places]
    chance = torch.softmax(logits.double(), dim=-1).numpy()
    found = entropies(model, head, passage)
    assert found["layer"].tolist() == list(range(model.layers + 1))
    assert (found["places"] == len(here.places)).all()
    entropy = -(chance * np.log2(np.maximum(chance, 1e-300))).sum(axis=1).mean()
    assert found["entropy"].iloc[-1] == pytest.approx(entropy, rel=1e-3)
    assert found["cross_entropy"].iloc[-1] == pytest.approx(losses_of(model, head, passage, [[]])[0], rel=1e-4)
    assert found["entropy"].between(0, np.log2(chance.shape[1])).all()
    assert found["cross_entropy"].nunique() == model.layers + 1


def test_entropies_that_are_not_finite_say_so(whole: Whole, read: Read) -> None:
    model, head, _ = whole
    with torch.no_grad():
        for parameter in head.whole.parameters():
            parameter.fill_(float("nan"))
    with pytest.raises(ModelError, match="are not finite numbers: its weights may be damaged"):
        entropies(model, head, read(model, TEXT))


def weighed_by_places(tables: list[pd.DataFrame]) -> pd.DataFrame:
    """The mean over the windows of a text."""
    places = pd.concat(tables).groupby("layer")["places"].sum()
    sums = sum(table.set_index("layer")[["entropy", "cross_entropy"]].mul(table["places"].iloc[0]) for table in tables)
    return sums.div(places, axis=0).assign(places=places)


@pytest.mark.slow
@pytest.mark.parametrize("family", ["bert", "gpt2"])
def test_the_command_tells_the_mean_over_all_texts(
    family: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of texts that take one window and several; chance is over all of them."""
    model = load(ModelSpec(str(save_whole(tmp_path / "model", SERVED[family]))))
    texts, out = write_corpus(tmp_path / "texts", texts=5), tmp_path / "out"
    (texts / "005.txt").write_text(" ".join(SENTENCES * 8), encoding="utf-8")
    assert main(["ablate", str(texts), "--entropy", "--model", str(model.spec.name), "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    found, head = open_ablation(out).table("entropies"), language_head(model)
    windows = [
        read_passages(read_document(file.read_text("utf-8"), "auto"), model.tokenizer, model.max_tokens)
        for file in sorted(texts.iterdir())
    ]
    assert max(map(len, windows)) > 1
    of_texts = [weighed_by_places([entropies(model, head, passage) for passage in of_text]) for of_text in windows]
    for column in ("entropy", "cross_entropy"):
        by_text = np.array([table[column] for table in of_texts])
        assert found[column].to_numpy() == pytest.approx(by_text.mean(axis=0))
        bounds = [interval_of_mean(of_layer) for of_layer in by_text.T]
        assert found[[f"{column}_low", f"{column}_high"]].to_numpy() == pytest.approx(np.array(bounds))
        assert f"{found[column].iloc[-1]:.2f}" in printed
    assert (found["places"] == sum(table["places"][0] for table in of_texts)).all() and (found["texts"] == 6).all()
    chance = np.log2(model.network.config.vocab_size)
    assert found["chance_entropy"].to_numpy() == pytest.approx(chance)
    assert f"{chance:.2f}" in printed


@pytest.mark.slow
def test_a_model_without_a_language_head_says_so_in_one_sentence(
    tiny_folder: Callable[[str], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = write_corpus(tmp_path / "texts", texts=2)
    command = ["ablate", str(texts), "--entropy", "--model", str(tiny_folder("bert")), "--out", str(tmp_path / "out")]
    assert main(command) == 2
    *_, error = capsys.readouterr().err.splitlines()
    assert error.endswith("hold no language-model head: losses and what a layer would say cannot be had.")
    assert not (tmp_path / "out" / "tables").exists()


@pytest.mark.slow
def test_texts_without_a_place_to_ask_at_are_left_out_and_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A lone token has none before it, which a causal model could be asked after: the tokenizer frames no text."""
    model = save_whole(tmp_path / "model", SERVED["gpt2"])
    tokenizer = json.loads((model / "tokenizer.json").read_text("utf-8"))
    (model / "tokenizer.json").write_text(json.dumps(tokenizer | {"post_processor": None}), encoding="utf-8")
    (tmp_path / "texts").mkdir()
    for number in range(2):
        (tmp_path / "texts" / f"{number}.txt").write_text("a", encoding="utf-8")
    command = ["ablate", str(tmp_path / "texts"), "--entropy", "--model", str(model)]
    assert main([*command, "--out", str(tmp_path / "none")]) == 2
    assert "No text has a place where a word could be asked for" in capsys.readouterr().err
    (tmp_path / "texts" / "2.txt").write_text(TEXT, encoding="utf-8")
    assert main([*command, "--out", str(tmp_path / "one")]) == 0
    found = open_ablation(tmp_path / "one").table("entropies")
    assert (found["texts"] == 1).all() and found["entropy_low"].isna().all()
