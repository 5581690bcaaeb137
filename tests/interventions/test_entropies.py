"""Entropy by layer, against transformers' own whole model and a plain count of tokens."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers as hf

from attn_core.errors import TextError
from attn_core.interventions.entropies import entropies, entropy_table, unigram_entropy, words_at
from attn_core.interventions.losses import asked, losses_of
from attn_core.models.files import ModelSpec
from attn_core.models.language_head import LanguageHead, language_head
from attn_core.models.loading import load
from attn_core.models.records import LoadedModel
from attn_core.texts.passages import Passage
from tests.families import SERVED, VOCABULARY, save_whole

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
    here = asked(model, passage)
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


def test_chance_is_the_entropy_of_the_tokens_of_all_windows(whole: Whole, read: Read) -> None:
    model, head, _ = whole
    passages = [read(model, TEXT), read(model, "The rope was wet; the rope was old; the rope held.")]
    tables = [entropies(model, head, passage) for passage in passages]
    found = entropy_table(tables, passages)
    counts = Counter(t for p in passages for t, special in zip(p.token_ids, p.is_special, strict=True) if not special)
    total = sum(counts.values())
    chance = sum(n / total * np.log2(total / n) for n in counts.values())
    assert unigram_entropy(passages) == pytest.approx(chance)
    assert np.allclose(found["chance_entropy"], chance)
    first, second = tables
    weighed = first["entropy"] * first["places"] + second["entropy"] * second["places"]
    assert np.allclose(found["entropy"], weighed / (first["places"] + second["places"]))


def test_the_words_that_a_layer_puts_at_a_place(whole: Whole, read: Read) -> None:
    model, head, network = whole
    passage = read(model, TEXT)
    at = 6
    ids = torch.from_numpy(passage.token_ids.copy())[None]
    if not model.causal:
        ids[0, at] = model.tokenizer.mask_token_id
    with torch.inference_mode():
        chance = torch.softmax(network(input_ids=ids).logits[0, at - 1 if model.causal else at].double(), dim=-1)
    found = words_at(model, head, passage, at, number=VOCABULARY)
    last = found[found["layer"] == model.layers]
    assert last["token_id"].iloc[0] == int(chance.argmax())
    assert last["probability"].iloc[0] == pytest.approx(float(chance.max()), rel=1e-3)
    assert last["probability"].is_monotonic_decreasing
    assert found.loc[found["true"], "token_id"].unique().tolist() == [passage.token_ids[at]]


def test_no_word_can_be_asked_for_at_a_special_token(whole: Whole, read: Read) -> None:
    model, head, _ = whole
    with pytest.raises(TextError, match="There is no"):
        words_at(model, head, read(model, TEXT), 0)
