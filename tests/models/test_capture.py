"""Head outputs and attention maps against references that share no code with the capture."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from transformers import AutoModel

from attn_core.errors import ModelError
from attn_core.models.capture import capture
from attn_core.models.files import ModelSpec, locate
from attn_core.models.loading import load
from attn_core.models.records import LoadedModel
from attn_core.texts.passages import Passage
from tests.families import IN_SHORT as LONG
from tests.families import SERVED, TEXT, Read, Tiny, by_mechanism, of_families

Networks = Callable[[str], Any]
SHORT = "Some say the rope held."
every_family, every_mechanism = of_families(SERVED), by_mechanism(SERVED)


def as_published(folder: Path) -> Any:
    """The network, or its encoder, as transformers loads and runs it without us."""
    network = AutoModel.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32).eval()
    return network.get_encoder() if hasattr(network, "encoder") and hasattr(network, "decoder") else network


@pytest.fixture(scope="module")
def eager(tiny_folder: Callable[[str], Path]) -> Callable[[str], Any]:
    """Family name -> its network as published."""
    return cache(lambda family: as_published(tiny_folder(family)))


@contextmanager
def inputs_and_outputs(network: nn.Module) -> Iterator[list[tuple[str, Tensor, Tensor]]]:
    """(name, input, output) of the calls of all modules with a matrix."""
    calls: list[tuple[str, Tensor, Tensor]] = []
    handles = [
        module.register_forward_hook(lambda _m, given, made, name=name: calls.append((name, given[0], made)))
        for name, module in network.named_modules()
        if getattr(getattr(module, "weight", None), "ndim", 0) == 2 and not isinstance(module, nn.Embedding)
    ]
    try:
        yield calls
    finally:
        for handle in handles:
            handle.remove()


def ids_of(passage: Passage) -> Tensor:
    return torch.from_numpy(passage.token_ids)[None]


def close(actual: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(actual, expected, rtol=1e-4, atol=2e-5)


@every_family
@torch.inference_mode()
def test_maps_and_head_outputs_are_those_of_the_eager_network(
    family: str, tiny_model: Tiny, eager: Networks, read: Read
) -> None:
    model = tiny_model(family)
    passage = read(model, LONG)
    (captured,) = capture(model, [passage], keep_maps=True)
    n = len(passage)
    assert captured.z.shape == (3, 4, n, 8)
    assert captured.attention is not None
    assert captured.attention.shape == (3, 4, n, n)

    with inputs_and_outputs(eager(family)) as calls:
        output = eager(family)(input_ids=ids_of(passage), output_attentions=True)
    close(captured.attention, torch.stack(output.attentions)[:, 0])
    for z in captured.z:  # side by side, the heads' outputs are what the output projection is given
        flat = z.transpose(0, 1).flatten(1)
        given = [x for _, x, _ in calls if x.shape[-1] == flat.shape[-1] and x.numel() == flat.numel()]
        assert any(torch.allclose(x.reshape(flat.shape), flat, rtol=1e-4, atol=2e-5) for x in given)


@every_mechanism
def test_what_tokens_receive_is_the_mean_of_the_maps_and_adds_up_to_one(
    family: str, tiny_model: Tiny, read: Read
) -> None:
    model = tiny_model(family)
    long, short = capture(model, [read(model, LONG), read(model, SHORT)], keep_maps=True)
    for outputs in (long, short):
        assert outputs.attention is not None
        close(outputs.received, outputs.attention.mean(dim=2))
        close(outputs.received.sum(dim=-1), torch.ones(3, 4))
        close(outputs.attention.sum(dim=-1), torch.ones(outputs.attention.shape[:3]))


@every_family
def test_padded_and_batched_equals_single(family: str, tiny_model: Tiny, read: Read) -> None:
    """The short passage is padded far beyond the sliding windows of 8 tokens that some of these models have."""
    model = tiny_model(family)
    passages = [read(model, SHORT), read(model, LONG), read(model, "The pier."), read(model, LONG)]
    assert len({len(passage) for passage in passages}) == 3
    together = capture(model, passages, keep_maps=True)
    for passage, output in zip(passages, together, strict=True):
        (alone,) = capture(model, [passage], keep_maps=True)
        close(output.z, alone.z)
        close(output.received, alone.received)
        assert output.attention is not None
        assert alone.attention is not None
        close(output.attention, alone.attention)


@every_mechanism
def test_a_causal_model_attends_to_nothing_later_and_others_do(family: str, tiny_model: Tiny, read: Read) -> None:
    model = tiny_model(family)
    (output,) = capture(model, [read(model, LONG)], keep_maps=True)
    assert output.attention is not None
    assert model.causal == SERVED[family].causal == bool((output.attention.triu(1) == 0).all())


@every_mechanism
@torch.inference_mode()
def test_outside_a_capture_the_network_computes_what_it_did(
    family: str, tiny_model: Tiny, eager: Networks, read: Read
) -> None:
    model = tiny_model(family)
    passages = [read(model, LONG), read(model, SHORT)]
    lengths = [len(passage) for passage in passages]
    ids, mask = torch.zeros(2, max(lengths), dtype=torch.long), torch.zeros(2, max(lengths), dtype=torch.long)
    for row, passage in enumerate(passages):
        ids[row, : lengths[row]], mask[row, : lengths[row]] = torch.from_numpy(passage.token_ids), 1
    capture(model, passages)
    last = model.network(input_ids=ids, attention_mask=mask).last_hidden_state
    expected = eager(family)(input_ids=ids, attention_mask=mask).last_hidden_state
    for row, n in enumerate(lengths):
        close(last[row, :n], expected[row, :n])


@every_mechanism
def test_the_longest_window_runs(family: str, tiny_model: Tiny, read: Read) -> None:
    model = tiny_model(family)
    passage = read(model, "The pier.")
    repeats = -(-model.max_tokens // len(passage))
    of_tokens = ("token_ids", "starts", "ends", "sentences", "pretokens", "is_special", "is_separator")
    repeated = {name: np.tile(getattr(passage, name), repeats)[: model.max_tokens] for name in of_tokens}
    full = replace(passage, tokens=(passage.tokens * repeats)[: model.max_tokens], **repeated)
    assert len(full) == model.max_tokens == SERVED[family].window
    capture(model, [full])


# What computes the values of a family whose captures come from a hook, and of two others.
VALUES = {
    "mpnet": "attn.v", "deberta": "self.in_proj", "deberta-v2": "self.value_proj", "roformer": "self.value",
    "rembert": "self.value", "megatron-bert": "self.value", "bert": "self.value", "llama": "v_proj",
}  # fmt: skip


@of_families(VALUES)
@torch.inference_mode()
def test_a_head_output_is_the_attended_mean_of_the_values(
    family: str, tiny_model: Tiny, eager: Networks, read: Read
) -> None:
    """Where z comes from a hook on the projection, that it passes through the projection proves nothing."""
    model = tiny_model(family)
    passage = read(model, LONG)
    (output,) = capture(model, [passage], keep_maps=True)
    with inputs_and_outputs(eager(family)) as calls:
        eager(family)(input_ids=ids_of(passage))
    layers = [(name, made[0]) for name, _, made in calls if name.endswith(VALUES[family])]
    assert len(layers) == 3
    assert output.attention is not None
    for z, weights, (name, made) in zip(output.z, output.attention, layers, strict=True):
        if family == "deberta":  # query, key and value of a head stand side by side, and the bias is added later
            bias = eager(family).get_submodule(name.removesuffix(".in_proj")).v_bias
            made = made.unflatten(-1, (4, 24))[..., 16:].flatten(1) + bias
        values = made.unflatten(-1, (-1, 8)).transpose(0, 1)
        close(z, weights @ values.repeat_interleave(4 // len(values), dim=0))  # heads of a group share their values


def softmax(scores: np.ndarray) -> np.ndarray:
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def heads_of(x: np.ndarray) -> np.ndarray:
    return x.reshape(len(x), 4, 8).transpose(1, 0, 2)


@torch.inference_mode()
def test_bert_by_hand(tiny_model: Tiny, eager: Networks, read: Read) -> None:
    model, network = tiny_model("bert"), eager("bert")
    passage = read(model, LONG)
    (output,) = capture(model, [passage], keep_maps=True)
    weights = {name: tensor.double().numpy() for name, tensor in network.state_dict().items()}
    states = network(input_ids=ids_of(passage), output_hidden_states=True).hidden_states
    for layer in range(3):
        x = states[layer][0].double().numpy()
        at = f"encoder.layer.{layer}.attention.self."
        q, k, v = (
            heads_of(x @ weights[f"{at}{part}.weight"].T + weights[f"{at}{part}.bias"])
            for part in ("query", "key", "value")
        )
        attention = softmax(q @ k.transpose(0, 2, 1) / np.sqrt(8))
        assert output.attention is not None
        np.testing.assert_allclose(output.attention[layer], attention, atol=2e-5)
        np.testing.assert_allclose(output.z[layer], attention @ v, atol=2e-5)


def test_numbers_that_are_not_finite_are_one_sentence(tiny_bert_folder: Path, read: Read) -> None:
    model = load(ModelSpec(str(tiny_bert_folder)))
    word = model.tokenizer.convert_tokens_to_ids("rope")
    with torch.no_grad():
        model.network.get_input_embeddings().weight[word] = float("nan")  # type: ignore[operator]
    capture(model, [read(model, "The pier.")])
    with pytest.raises(ModelError, match=r"not finite numbers \(NaN\)"):
        capture(model, [read(model, "The rope.")])


def test_a_device_that_is_not_there_is_one_sentence(tiny_bert_folder: Path) -> None:
    with pytest.raises(ModelError, match=r"cannot be loaded \(.*abacus"):
        load(ModelSpec(str(tiny_bert_folder)), "abacus")


def test_a_token_that_the_model_does_not_know_is_one_sentence(tiny_model: Tiny, read: Read) -> None:
    model = tiny_model("bert")
    passage = read(model, SHORT)
    beyond = Passage(**{**vars(passage), "token_ids": passage.token_ids + 512})
    with pytest.raises(ModelError, match="a token that the model does not know"):
        capture(model, [beyond])


@pytest.mark.model
@torch.inference_mode()
def test_the_real_model_gives_the_maps_of_its_eager_network(minilm: LoadedModel, read: Read) -> None:
    passages = [read(minilm, TEXT), read(minilm, SHORT)]
    network = as_published(locate(ModelSpec()))
    for passage, output in zip(passages, capture(minilm, passages, keep_maps=True), strict=True):
        assert output.attention is not None
        close(output.attention, torch.stack(network(ids_of(passage), output_attentions=True).attentions)[:, 0])
