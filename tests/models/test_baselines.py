"""Copies of a model, and shuffled text."""

import copy
import itertools
from dataclasses import replace

import numpy as np
import pytest
import torch
import transformers as hf

from attn_core.models.baselines import CONTROLS, apply_control, control_of
from attn_core.models.files import COPIES, Copy, ModelSpec
from attn_core.models.loading import load
from attn_core.models.pretrained import shuffle_weights
from attn_core.models.records import LoadedModel
from attn_core.texts.documents import read_document
from attn_core.texts.passages import read_passages
from tests.families import DECODER, DISENTANGLED, ENCODER, SERVED, TEXT, Folder, Tiny, network, of_families


def weights(model: LoadedModel) -> torch.Tensor:
    return torch.cat([tensor.flatten() for tensor in model.network.parameters()])


@pytest.mark.parametrize("kind", COPIES)
@pytest.mark.parametrize("family", ["bert", "albert", "gpt2", "t5", "deberta"])
def test_a_copy_has_the_model_s_shape_and_weights_by_its_seed(family: str, kind: Copy, tiny_folder: Folder) -> None:
    spec = ModelSpec(str(tiny_folder(family)))
    state = torch.random.get_rng_state()
    model, other, again = load(spec), load(replace(spec, copy=(kind, 0))), load(replace(spec, copy=(kind, 0)))
    assert torch.equal(torch.random.get_rng_state(), state)
    assert (other.layers, other.heads, other.max_tokens, other.causal) == (
        model.layers, model.heads, model.max_tokens, model.causal,
    )  # fmt: skip
    assert other.tokenizer(TEXT)["input_ids"] == model.tokenizer(TEXT)["input_ids"]
    assert [p.shape for p in other.network.parameters()] == [p.shape for p in model.network.parameters()]
    assert torch.equal(weights(other), weights(again))
    seeds = [weights(load(replace(spec, copy=(kind, 1)))), weights(other), weights(model)]
    assert not any(torch.equal(one, two) for one, two in itertools.pairwise(seeds))
    assert other.revision != model.revision


# Whether parts of fused matrices make queries, keys or values, by the end of their names.
FUSED = {
    **dict.fromkeys(("Wqkv", "c_attn"), "qkv"), **dict.fromkeys(("query_key_value", "in_proj"), "qkv" * 4),
    "qkv_proj": "qvk" * 4,
}  # fmt: skip


def sorted_parts(family: str, name: str, weight: torch.Tensor) -> torch.Tensor:
    """The sorted entries of a matrix; of queries, keys and values each by itself."""
    module = name.split(".")[-2]
    rows = weight.T if module in ("c_attn", "c_proj", "c_fc") else weight
    kinds = "qqkv" * 2 if (family, module) == ("falcon", "query_key_value") else FUSED.get(module, "q")
    parts: dict[str, list[torch.Tensor]] = {kind: [] for kind in kinds}
    for kind, piece in zip(kinds, rows.chunk(len(kinds)), strict=True):
        parts[kind].append(piece)
    return torch.cat([torch.cat(pieces).flatten().sort()[0] for pieces in parts.values()])


@of_families(SERVED)
def test_what_is_shuffled_are_the_entries_of_the_matrices_of_the_layers(family: str, tiny_model: Tiny) -> None:
    network = tiny_model(family).network
    other = copy.deepcopy(network)
    shuffle_weights(other, 0)
    modules, moved = dict(network.named_modules()), 0
    for (name, weight), shuffled in zip(network.named_parameters(), other.parameters(), strict=True):
        of_embedding = isinstance(modules[name.rpartition(".")[0]], torch.nn.Embedding)
        inside = any(part.isdigit() for part in name.split("."))
        if weight.ndim < 2 or of_embedding or not inside:
            assert torch.equal(shuffled, weight), name
            continue
        moved += weight.numel()
        torch.testing.assert_close(*(sorted_parts(family, name, w) for w in (shuffled, weight)), rtol=0, atol=0)
        assert (shuffled == weight).float().mean() < 0.1, name
    assert moved >= 3 * 32 * (4 * 32 + 2 * 48) // (3 if family == "albert" else 1)


def test_the_convolution_of_a_deberta_is_shuffled_and_its_pooler_s_and_head_s_are_not() -> None:
    config = hf.DebertaV2Config(**ENCODER, **DISENTANGLED | {"conv_kernel_size": 3})
    made = network(config, kind=hf.AutoModelForMaskedLM)
    before = copy.deepcopy(made.state_dict())
    shuffle_weights(made, 1)
    changed = {name for name, weight in made.state_dict().items() if not torch.equal(weight, before[name])}
    assert "deberta.encoder.conv.conv.weight" in changed
    assert all(".encoder.layer." in name or ".conv.conv." in name for name in changed)


def test_queries_keys_and_values_of_fewer_heads_are_shuffled_each_by_itself() -> None:
    made = network(hf.Phi3Config(**DECODER))
    weight = made.layers[0].self_attn.qkv_proj.weight
    before = weight.clone().split([32, 16, 16])
    shuffle_weights(made, 0)
    for one, other in zip(before, weight.split([32, 16, 16]), strict=True):
        assert not torch.equal(one, other)
        assert torch.equal(one.flatten().sort()[0], other.flatten().sort()[0])


def test_a_shuffled_window_has_the_same_tokens_in_another_order(tiny_model: Tiny) -> None:
    model, document = tiny_model("bert"), read_document(TEXT * 3)
    plain, shuffled, again = (
        read_passages(document, model.tokenizer, 64, layout) for layout in ("plain", "shuffled", "shuffled")
    )
    assert len(plain) == len(shuffled) > 2
    assert shuffled[0].token_ids.tolist() != shuffled[1].token_ids.tolist()
    for one, other, same in zip(plain, shuffled, again, strict=True):
        assert sorted(other.token_ids) == sorted(one.token_ids)
        assert (other.token_ids != one.token_ids).sum() > len(one) / 2
        assert other.token_ids.tolist() == same.token_ids.tolist()
        np.testing.assert_array_equal(other.sentences, one.sentences)  # sentences belong to places
        np.testing.assert_array_equal(other.is_special, one.is_special)
        where = dict(zip(one.starts.tolist(), zip(one.tokens, one.ends, one.pretokens, strict=True), strict=True))
        for start, *known in zip(other.starts.tolist(), other.tokens, other.ends, other.pretokens, strict=True):
            assert start < 0 or tuple(known) == where[start]  # a token has its characters


@pytest.mark.parametrize("control", [None, *CONTROLS])
def test_a_control_is_known_by_what_it_makes_of_model_and_layout(control: str | None) -> None:
    assert control_of(*apply_control(control, ModelSpec("a/model"), "plain")) == control  # type: ignore[arg-type]
