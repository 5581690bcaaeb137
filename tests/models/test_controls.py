"""The controls: a model that learned nothing, and a text that is no language."""

import copy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers as hf

from attn_core.errors import InputError
from attn_core.models.controls import CONTROLS, control_of, controlled
from attn_core.models.files import COPIES, Copy, ModelSpec
from attn_core.models.loading import load
from attn_core.models.records import LoadedModel
from attn_core.models.shuffled_weights import shuffle_weights
from attn_core.texts.documents import read_document
from attn_core.texts.passages import read_passages
from tests.families import DECODER, DISENTANGLED, ENCODER, SERVED, TEXT, Folder, Tiny, network, of_families


def weights(model: LoadedModel) -> torch.Tensor:
    return torch.cat([tensor.flatten() for tensor in model.network.parameters()])


@pytest.mark.parametrize("kind", COPIES)
@pytest.mark.parametrize("family", ["bert", "albert", "gpt2", "t5", "deberta"])
def test_a_copy_has_the_model_s_shape_and_weights_of_its_own(family: str, kind: Copy, tiny_folder: Folder) -> None:
    spec = ModelSpec(str(tiny_folder(family)))
    model, other = load(spec), load(replace(spec, copy=(kind, 0)))
    assert (other.layers, other.heads, other.max_tokens, other.causal) == (
        model.layers, model.heads, model.max_tokens, model.causal,
    )  # fmt: skip
    assert other.tokenizer(TEXT)["input_ids"] == model.tokenizer(TEXT)["input_ids"]
    assert [p.shape for p in other.network.parameters()] == [p.shape for p in model.network.parameters()]
    assert not torch.equal(weights(other), weights(model))
    assert other.revision != model.revision
    assert other.check is not None


@pytest.mark.parametrize("kind", COPIES)
def test_the_seed_of_a_copy_draws_its_weights_and_nothing_else(kind: Copy, tiny_folder: Folder) -> None:
    spec = ModelSpec(str(tiny_folder("bert")), copy=(kind, 3))
    torch.manual_seed(11)
    state = torch.random.get_rng_state()
    first, again, other = load(spec), load(spec), load(replace(spec, copy=(kind, 4)))
    assert torch.equal(torch.random.get_rng_state(), state)
    assert torch.equal(weights(first), weights(again))
    assert not torch.equal(weights(first), weights(other))


# By the end of its name, what of a matrix stays together: rows (out, in) of a linear layer, split (parts, into) along outputs.
FUSED = {"Wqkv": 3, "c_attn": 3, "query_key_value": 12, "in_proj": 12}


def sorted_parts(name: str, weight: torch.Tensor) -> torch.Tensor:
    """The entries of a matrix in order; of queries, keys and values each by itself, an array a kind."""
    module = name.split(".")[-2]
    rows = weight.T if module in ("c_attn", "c_proj", "c_fc") else weight
    pieces = rows.chunk(FUSED.get(module, 1))  # one a kind, or a kind and head: 4 heads
    return torch.stack([torch.cat(pieces[kind::3]).flatten().sort()[0] for kind in range(min(3, len(pieces)))])


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
        torch.testing.assert_close(sorted_parts(name, shuffled), sorted_parts(name, weight), rtol=0, atol=0)
        assert (shuffled == weight).float().mean() < 0.1, name
    assert moved >= 3 * 32 * (4 * 32 + 2 * 48) // (3 if family == "albert" else 1)


def test_the_convolution_of_a_deberta_is_shuffled_and_its_pooler_s_and_head_s_are_not(tmp_path: Path) -> None:
    config = hf.DebertaV2Config(**ENCODER, **DISENTANGLED | {"conv_kernel_size": 3})
    made = network(config, kind=hf.AutoModelForMaskedLM)
    other = copy.deepcopy(made)
    shuffle_weights(other, 1)
    changed = {name for name, weight in made.state_dict().items() if not torch.equal(weight, other.state_dict()[name])}
    assert "deberta.encoder.conv.conv.weight" in changed
    assert all(".encoder.layer." in name or ".conv.conv." in name for name in changed)


def test_queries_keys_and_values_of_fewer_heads_are_shuffled_each_by_itself() -> None:
    made = network(hf.Phi3Config(**DECODER))
    other = copy.deepcopy(made)
    shuffle_weights(other, 0)
    weight, shuffled = (each.layers[0].self_attn.qkv_proj.weight for each in (made, other))
    for one, other in zip(weight.split([32, 16, 16]), shuffled.split([32, 16, 16]), strict=True):
        assert not torch.equal(one, other)
        assert torch.equal(one.flatten().sort()[0], other.flatten().sort()[0])


def test_a_shuffled_window_has_the_same_tokens_in_another_order(tiny_model: Tiny) -> None:
    model, document = tiny_model("bert"), read_document(TEXT * 3)
    plain, shuffled, again = (
        read_passages(document, model.tokenizer, 64, layout) for layout in ("plain", "shuffled", "shuffled")
    )
    assert len(plain) == len(shuffled) > 2
    for one, other, same in zip(plain, shuffled, again, strict=True):
        assert sorted(other.token_ids) == sorted(one.token_ids)
        assert (other.token_ids != one.token_ids).sum() > len(one) / 2
        assert other.token_ids.tolist() == same.token_ids.tolist()
        np.testing.assert_array_equal(other.sentences, one.sentences)  # places keep them
        np.testing.assert_array_equal(other.is_special, one.is_special)
        assert other.is_separator.sum() == one.is_separator.sum()
        where = dict(zip(one.starts.tolist(), zip(one.tokens, one.ends, one.pretokens, strict=True), strict=True))
        for start, *known in zip(other.starts.tolist(), other.tokens, other.ends, other.pretokens, strict=True):
            assert start < 0 or tuple(known) == where[start]  # a token keeps its place in the text
    assert shuffled[0].token_ids.tolist() != shuffled[1].token_ids.tolist()


@pytest.mark.parametrize("control", [None, *CONTROLS])
def test_a_control_is_known_by_what_it_makes_of_model_and_layout(control: str | None) -> None:
    assert control_of(*controlled(control, ModelSpec("a/model"), "plain")) == control  # type: ignore[arg-type]


def test_a_shuffled_text_is_not_separated() -> None:
    with pytest.raises(InputError, match="no sentences to separate"):
        controlled("shuffled_text", ModelSpec(), "separated")
