"""The words that a model is asked for."""

from dataclasses import replace

import numpy as np
import pytest

from attn_core.errors import TextError
from attn_core.models.entropies import targets_of
from attn_core.models.records import LoadedModel
from tests.families import IN_SHORT as TEXT
from tests.families import Read, Tiny


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
    with pytest.raises(TextError, match="no word that the model could predict"):
        targets_of(model, special)
