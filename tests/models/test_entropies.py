"""Entropy by layer, against transformers' own whole model."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers as hf

from attn_core.errors import ModelError
from attn_core.models.entropies import entropies, targets_of
from attn_core.models.files import ModelSpec
from attn_core.models.language_head import LanguageHead, language_head
from attn_core.models.loading import load
from attn_core.models.records import LoadedModel
from attn_core.texts.passages import Passage
from tests.families import SERVED, save_whole

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
