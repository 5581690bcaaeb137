"""The language-model head and the entropy by layer, compared with the whole model of transformers."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers as hf

from attn_core.errors import ModelError, TextError
from attn_core.models.capture import layer_states
from attn_core.models.files import ModelSpec, Stack
from attn_core.models.language_head import entropies, language_head, targets_of
from attn_core.models.loading import load
from attn_core.models.records import LoadedModel
from tests.families import (
    DECODER,
    ENCODER_DECODERS,
    SERVED,
    SMALL,
    Family,
    Read,
    Tiny,
    network,
    of_families,
    save_tiny,
    save_tokenizer,
    save_whole,
)
from tests.families import IN_SHORT as TEXT

MASKED = ("bert", "roberta", "distilbert", "albert", "electra", "modernbert", "mpnet", "deberta-v2")
OTHERS = {
    "opt": Family(
        hf.OPTConfig, SMALL | {
            "word_embed_proj_dim": 32, "ffn_dim": 48, "max_position_embeddings": 96, "pad_token_id": 1,
            "bos_token_id": 2,
        },
        "bytes", causal=True,
    ),
    "mixtral": Family(hf.MixtralConfig, DECODER | {"num_local_experts": 4}, "bytes", causal=True),
}  # fmt: skip
CAUSAL = ("gpt2", "gpt_neox", "llama", "qwen2", "gemma2", "gpt_neo", "bloom", "falcon", "mpt", "openai-gpt", "ctrl")


def whole_and_loaded(family: str, folder: Path) -> tuple[Any, LoadedModel]:
    """What transformers loads with the head, its own attention in place, and the model as it is read here."""
    save_whole(folder, (SERVED | OTHERS)[family])
    kind: Any = hf.AutoModelForCausalLM if (SERVED | OTHERS)[family].causal else hf.AutoModelForMaskedLM
    return kind.from_pretrained(folder, attn_implementation="eager").eval(), load(ModelSpec(str(folder)))


@of_families([*MASKED, *CAUSAL])
def test_last_states_through_the_head_are_the_logits_of_the_whole_model(family: str, tmp_path: Path) -> None:
    whole, model = whole_and_loaded(family, tmp_path)
    ids = torch.tensor([model.tokenizer(TEXT)["input_ids"]])
    with torch.inference_mode():
        expected = whole(input_ids=ids).logits[0]
    found = language_head(model).logits(layer_states(model, ids[0].tolist())[-1])
    torch.testing.assert_close(found, expected, rtol=1e-3, atol=1e-4 * float(expected.abs().max()))
    assert float(expected.std()) > 0.1, "equal logits would hide a wrong head"


@pytest.mark.parametrize("family", ["gpt2", "llama", "modernbert", "megatron-bert", "opt", "mixtral"])
def test_what_stands_between_two_layers_meets_the_final_norm_first(family: str, tmp_path: Path, read: Read) -> None:
    """Taken from a whole model that ends after its first layer, whose states meet the norm as its last ones."""
    whole, model = whole_and_loaded(family, tmp_path)
    passage = read(model, TEXT)
    shown, places, true = targets_of(model, passage)
    base = getattr(whole, whole.base_model_prefix)
    inner = next((part for name, part in base.named_children() if name in ("encoder", "decoder")), base)
    lists = {name: part for name, part in inner.named_children() if isinstance(part, torch.nn.ModuleList)}
    (layers,) = lists.values()
    del layers[1:]
    base.config.num_hidden_layers = 1
    with torch.inference_mode():
        logits = whole(input_ids=torch.from_numpy(shown.token_ids)[None]).logits[0, places]
    expected = torch.nn.functional.cross_entropy(logits, torch.from_numpy(true)) / np.log(2)
    found = entropies(model, language_head(model), passage)
    assert found["cross_entropy"][1] == pytest.approx(float(expected), rel=1e-5)


def test_the_head_of_an_untrained_copy_is_drawn_anew_and_that_of_shuffled_weights_is_the_model_s(
    tmp_path: Path,
) -> None:
    save_whole(tmp_path, SERVED["bert"])
    states = torch.randn(1, 4, 32)
    copies = (None, ("untrained", 1), ("untrained", 1), ("shuffled_weights", 1))
    trained, untrained, again, shuffled = (
        language_head(load(ModelSpec(str(tmp_path), copy=copy))).logits(states)  # type: ignore[arg-type]
        for copy in copies
    )
    assert not torch.allclose(untrained, trained, atol=0.01)
    torch.testing.assert_close(again, untrained)
    torch.testing.assert_close(shuffled, trained)


@pytest.mark.parametrize("stack", ["decoder", "cross"])
@pytest.mark.parametrize("family", ["t5", "bart"])
def test_a_decoder_predicts_what_its_own_head_predicts(family: str, stack: Stack, tmp_path: Path, read: Read) -> None:
    made = of_a_decoder(tmp_path, family)
    model = load(ModelSpec(str(tmp_path), stack=stack))
    passage = read(model, TEXT)
    ids = torch.from_numpy(passage.token_ids)[None]
    with torch.inference_mode():
        logits = made(input_ids=ids[:, 1:], decoder_input_ids=ids).logits[0]
    _, places, true = targets_of(model, passage)
    expected = torch.nn.functional.cross_entropy(logits[places], torch.from_numpy(true)) / np.log(2)
    found = entropies(model, language_head(model), passage)
    assert found["layer"].tolist() == [0, 1, 2]
    assert found["cross_entropy"].iloc[-1] == pytest.approx(float(expected), rel=1e-4)
    assert found["cross_entropy"].nunique() == 3


def of_a_decoder(folder: Path, family: str = "bart") -> Any:
    save_tokenizer(folder, ENCODER_DECODERS[family].tokenizer)
    made = network(ENCODER_DECODERS[family].config(), kind=hf.AutoModelForSeq2SeqLM)
    made.save_pretrained(folder)
    return made


def of_no_mask_token(folder: Path) -> Path:
    save_whole(folder, SERVED["mpnet"])
    return save_tokenizer(folder, "bytes")


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda folder: save_tiny(folder, SERVED["bert"]), "hold no language-model head"),
        (of_no_mask_token, "has no mask token"),
        (lambda folder: save_whole(folder, SERVED["xlm"]), "has no states between its layers"),
        (lambda folder: save_tiny(folder, SERVED["t5"], mask_token="</s>"), "The encoder of .* predicts no words"),
        (lambda folder: of_a_decoder(folder) and folder, "The encoder of .* predicts no words"),
    ],
)
def test_a_model_without_a_head_says_so(make: Callable[[Path], Any], says: str, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=says):
        made = make(tmp_path)
        language_head(load(made if isinstance(made, ModelSpec) else ModelSpec(str(made))))


@pytest.mark.parametrize("family", ["bert", "gpt2", "llama", "deberta"])
def test_the_last_layer_says_what_the_whole_model_says(family: str, tmp_path: Path, read: Read) -> None:
    network, model = whole_and_loaded(family, tmp_path)
    head, passage = language_head(model), read(model, TEXT)
    shown, places, true = targets_of(model, passage)
    with torch.inference_mode():
        logits = network(input_ids=torch.from_numpy(shown.token_ids)[None]).logits[0, places]
    chance = torch.softmax(logits.double(), dim=-1).numpy()
    found = entropies(model, head, passage)
    assert found["layer"].tolist() == list(range(model.layers + 1)) and (found["places"] == len(places)).all()
    entropy = -(chance * np.log2(np.maximum(chance, 1e-300))).sum(axis=1).mean()
    cross = -np.log2(chance[np.arange(len(places)), true])
    assert found["entropy"].iloc[-1] == pytest.approx(entropy, rel=1e-3)
    assert found["cross_entropy"].iloc[-1] == pytest.approx(cross.mean(), rel=1e-4)
    assert found["entropy"].between(0, np.log2(chance.shape[1])).all()
    assert found["cross_entropy"].nunique() == model.layers + 1
    with torch.no_grad():
        for parameter in head.whole.parameters():
            parameter.fill_(float("nan"))
    with pytest.raises(ModelError, match="^The entropies of .* are not finite numbers"):
        entropies(model, head, passage)


@pytest.mark.parametrize("family", ["bert", "gpt2"])
def test_words_to_predict_are_hidden_from_the_model(family: str, tiny_model: Tiny, read: Read) -> None:
    model = tiny_model(family)
    passage = read(model, TEXT)
    shown, places, true = targets_of(model, passage)
    if model.causal:
        assert shown is passage
        assert (true == passage.token_ids[places + 1]).all()
        assert not passage.is_special[places + 1].any()
    else:
        assert (shown.token_ids[places] == model.tokenizer.mask_token_id).all()
        assert (true == passage.token_ids[places]).all()
        assert len(places) == round(0.15 * (~passage.is_special).sum())
        assert (targets_of(model, passage)[1] == places).all()
    special = replace(passage, is_special=np.ones(len(passage), dtype=bool))
    with pytest.raises(TextError, match="no word that the model could predict"):
        targets_of(model, special)
