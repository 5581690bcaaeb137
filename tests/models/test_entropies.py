"""Words to predict, and entropy by layer compared with the whole model of transformers."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers as hf

from attn_core.errors import ModelError, TextError
from attn_core.models.entropies import entropies, targets_of
from attn_core.models.files import ModelSpec
from attn_core.models.language_head import LanguageHead, language_head
from attn_core.models.loading import load
from attn_core.models.records import LoadedModel
from tests.families import IN_SHORT as TEXT
from tests.families import SERVED, Read, Tiny, save_whole

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
    cross = -np.log2(chance[np.arange(len(here.places)), here.true])
    assert found["entropy"].iloc[-1] == pytest.approx(entropy, rel=1e-3)
    assert found["cross_entropy"].iloc[-1] == pytest.approx(cross.mean(), rel=1e-4)
    assert found["entropy"].between(0, np.log2(chance.shape[1])).all()
    assert found["cross_entropy"].nunique() == model.layers + 1


def test_entropies_that_are_not_finite_say_so(whole: Whole, read: Read) -> None:
    model, head, _ = whole
    with torch.no_grad():
        for parameter in head.whole.parameters():
            parameter.fill_(float("nan"))
    with pytest.raises(ModelError, match="are not finite numbers: its weights may be damaged"):
        entropies(model, head, read(model, TEXT))


@pytest.mark.parametrize("family", ["bert", "gpt2"])
def test_words_to_predict_are_hidden_from_the_model(family: str, tiny_model: Tiny, read: Read) -> None:
    model = tiny_model(family)
    passage = read(model, TEXT)
    here = targets_of(model, passage)
    if model.causal:
        assert here.passage is passage
        assert (here.true == passage.token_ids[here.places + 1]).all()
        assert not passage.is_special[here.places + 1].any()
    else:
        assert (here.passage.token_ids[here.places] == model.tokenizer.mask_token_id).all()
        assert (here.true == passage.token_ids[here.places]).all()
        assert len(here.places) == round(0.15 * (~passage.is_special).sum())
        assert (targets_of(model, passage).places == here.places).all()
    special = replace(passage, is_special=np.ones(len(passage), dtype=bool))
    with pytest.raises(TextError, match="no word that the model could predict"):
        targets_of(model, special)
