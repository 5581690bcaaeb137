"""Losses in bits under removals, against transformers' own losses."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from attn_core.errors import ModelError, TextError
from attn_core.head import Head, every_head
from attn_core.interventions.losses import losses_of
from attn_core.models.attention import forward
from attn_core.models.files import ModelSpec
from attn_core.models.language_head import LanguageHead, language_head
from attn_core.models.loading import load
from attn_core.models.named import ablate
from attn_core.models.records import LoadedModel
from attn_core.models.targets import targets_of
from tests.families import IN_SHORT as TEXT
from tests.families import SERVED, Read, save_tokenizer, save_whole


@pytest.fixture(scope="module", params=["bert", "gpt2", "mpnet", "llama"])
def asked_model(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[LoadedModel, LanguageHead]:
    model = load(ModelSpec(str(save_whole(tmp_path_factory.mktemp(request.param), SERVED[request.param]))))
    return model, language_head(model)


def test_the_loss_is_that_of_the_whole_model(asked_model: tuple[LoadedModel, LanguageHead], read: Read) -> None:
    """transformers' own cross-entropy, of labels at the same places, with its own network under the same removal."""
    model, head = asked_model
    passage = read(model, TEXT)
    here = targets_of(model, passage)
    removals: list[list[Head]] = [[], [Head(0, 1)], every_head(model.layers, model.heads)]
    found = losses_of(model, head, passage, removals)
    network: Any = model.network
    for loss, removal in zip(found, removals, strict=True):
        extra = {} if model.uses_interface else {"output_attentions": True}
        change = ablate(model, removal).change
        with torch.inference_mode(), forward(change):
            states = network(input_ids=torch.from_numpy(here.passage.token_ids)[None], **extra).last_hidden_state
        chance = torch.softmax(head.logits(states)[0].double(), dim=-1)
        expected = np.mean([-np.log2(float(chance[at, true])) for at, true in zip(here.places, here.true, strict=True)])
        assert loss == pytest.approx(expected, rel=1e-4)
    assert len(set(found.round(6))) == 3


def test_what_is_asked_for_stays_hidden(asked_model: tuple[LoadedModel, LanguageHead], read: Read) -> None:
    model, _ = asked_model
    passage = read(model, TEXT)
    here = targets_of(model, passage)
    if model.causal:
        assert here.passage is passage
        assert (here.true == passage.token_ids[here.places + 1]).all()
        assert not passage.is_special[here.places + 1].any()
        return
    assert (here.passage.token_ids[here.places] == model.tokenizer.mask_token_id).all()
    assert (here.true == passage.token_ids[here.places]).all()
    assert len(here.places) == round(0.15 * (~passage.is_special).sum())
    assert (targets_of(model, passage).places == here.places).all()
    assert any((targets_of(model, passage, seed).places != here.places).any() for seed in range(1, 4))


def test_a_window_without_a_word_has_no_place_to_mask(
    asked_model: tuple[LoadedModel, LanguageHead], read: Read
) -> None:
    model, _ = asked_model
    passage = read(model, TEXT)
    special = replace(passage, is_special=np.ones(len(passage), dtype=bool))
    with pytest.raises(TextError, match="no place to mask" if not model.causal else "no word here with one before it"):
        targets_of(model, special)


def test_a_tokenizer_without_a_mask_token_says_so(tmp_path: Path, read: Read) -> None:
    save_whole(tmp_path, SERVED["mpnet"])
    save_tokenizer(tmp_path, "bytes")
    model = load(ModelSpec(str(tmp_path)))
    with pytest.raises(ModelError, match="has no mask token"):
        targets_of(model, read(model, TEXT))


def test_losses_that_are_not_finite_say_so(tmp_path: Path, read: Read) -> None:
    model = load(ModelSpec(str(save_whole(tmp_path, SERVED["bert"]))))
    head = language_head(model)
    with torch.no_grad():
        for parameter in head.whole.parameters():
            parameter.fill_(float("nan"))
    with pytest.raises(ModelError, match=r"are not finite numbers: its weights may be damaged\.$"):
        losses_of(model, head, read(model, TEXT), [[]])
