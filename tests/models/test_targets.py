"""The words that a model is asked for."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from attn_core.errors import ModelError, TextError
from attn_core.models.entropies import targets_of
from attn_core.models.files import ModelSpec
from attn_core.models.loading import load
from attn_core.models.records import LoadedModel
from tests.families import IN_SHORT as TEXT
from tests.families import SERVED, Read, Tiny, save_tokenizer, save_whole


@pytest.fixture(scope="module", params=["bert", "gpt2"])
def model(request: pytest.FixtureRequest, tiny_model: Tiny) -> LoadedModel:
    return tiny_model(request.param)


def test_what_is_asked_for_stays_hidden(model: LoadedModel, read: Read) -> None:
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


def test_a_window_without_a_word_has_no_place_to_mask(model: LoadedModel, read: Read) -> None:
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
