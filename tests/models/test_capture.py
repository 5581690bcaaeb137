"""Head outputs and attention maps, compared with the eager attention of transformers and with attention by hand."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from transformers import AutoModel

from attn_core.errors import ModelError
from attn_core.head import Head
from attn_core.models.attention import Recorder
from attn_core.models.capture import attention_maps, capture, capture_with_gradients, last_states, visit_attention
from attn_core.models.families import FAMILIES
from attn_core.models.files import ModelSpec, Stack, locate
from attn_core.models.loading import load
from attn_core.models.records import LoadedModel
from attn_core.models.windows import with_window_tokens
from attn_core.texts.documents import read_document
from attn_core.texts.passages import Passage, read_passages
from tests.families import ENCODER_DECODERS, IN_SHORT, MECHANISMS, READS_LONG, SERVED, TEXT, Folder, Read, Stacks, Tiny

SHORT = "Some say the rope held."


@dataclass(frozen=True)
class Case:
    """A tiny model: its family, which of its heads, and how many tokens a window has where they are many."""

    family: str
    stack: Stack = "encoder"
    tokens: int = 0

    def __str__(self) -> str:
        return " ".join(map(str, filter(None, (self.family, self.stack, self.tokens))))


DECODERS: tuple[Stack, ...] = ("decoder", "cross")
STACKS = [Case(family, stack) for family in ENCODER_DECODERS for stack in DECODERS]
MINILM = Case("minilm")
CASES = [*map(Case, SERVED), *STACKS, *(Case(family, tokens=1500) for family in READS_LONG), MINILM]
of_mechanisms = pytest.mark.parametrize(
    "case", [c for c in CASES[: -len(READS_LONG) - 1] if c.family in MECHANISMS], ids=str
)


def marked(case: Case) -> Any:
    quick = case.family in (("modernbert",) if case.tokens else MECHANISMS) or case == MINILM
    marks = [pytest.mark.model] * (case == MINILM) + [pytest.mark.long] * (not quick)
    return pytest.param(case, marks=marks, id=str(case))


@pytest.fixture(scope="module")
def model_of(tiny_model: Tiny, stack_of: Stacks, long_model: Tiny, request: pytest.FixtureRequest) -> Any:
    """Case -> the model as it is read here."""

    def model(case: Case) -> LoadedModel:
        if case == MINILM:
            return request.getfixturevalue("minilm")
        if case.tokens:
            return with_window_tokens(long_model(case.family), case.tokens)
        return tiny_model(case.family) if case.stack == "encoder" else stack_of(case.family, case.stack)

    return model


class Eager(NamedTuple):
    """Maps (layer, head, query, key), inputs of the matrices, their outputs by name, and states (token, hidden)."""

    maps: Tensor
    given: list[Tensor]
    made: list[tuple[str, Tensor]]
    states: Tensor


@pytest.fixture(scope="module")
def eager(tiny_folder: Folder, stacks_folder: Folder, long_folder: Folder) -> Callable[[Case, Passage], Eager]:
    """The reference: transformers alone, with attention that is written out."""

    @cache
    def whole(folder: Any) -> Any:
        return AutoModel.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32).eval()

    @torch.inference_mode()
    def reference(case: Case, passage: Passage) -> Eager:
        of_stack = tiny_folder if case.stack == "encoder" else stacks_folder
        folder = locate(ModelSpec()) if case == MINILM else (long_folder if case.tokens else of_stack)(case.family)
        network, ids = whole(folder), torch.from_numpy(passage.token_ids)[None]
        both = hasattr(network, "encoder") and hasattr(network, "decoder")
        network = network.get_encoder() if both and case.stack == "encoder" else network
        with inputs_and_outputs(network) as calls:
            if case.stack == "encoder":
                output = network(input_ids=ids, output_attentions=True)
                maps = torch.cat(output.attentions)
            else:
                output = network(input_ids=ids[:, 1:], decoder_input_ids=ids, output_attentions=True, use_cache=False)
                maps = torch.cat(output.decoder_attentions if case.stack == "decoder" else output.cross_attentions)
                if case.stack == "cross":  # no head attends to the decoder's first token
                    maps = nn.functional.pad(maps, (1, 0))
        return Eager(maps, [x for _, x, _ in calls], [(name, y) for name, _, y in calls], output.last_hidden_state[0])

    return reference


@contextmanager
def inputs_and_outputs(network: nn.Module) -> Iterator[list[tuple[str, Tensor, Tensor]]]:
    """(name, input, output) of the calls of all modules with a matrix."""
    calls: list[tuple[str, Tensor, Tensor]] = []
    handles = [
        module.register_forward_hook(
            lambda _m, given, made, name=name: calls.append((name, given[0], made[0] if type(made) is tuple else made))
        )
        for name, module in network.named_modules()
        if getattr(getattr(module, "weight", None), "ndim", 0) == 2 and not isinstance(module, nn.Embedding)
    ]
    try:
        yield calls
    finally:
        for handle in handles:
            handle.remove()


def passage_of(model: LoadedModel, case: Case) -> Passage:
    text = " ".join([TEXT] * 40) if case.tokens else IN_SHORT
    return read_passages(read_document(text), model.tokenizer, model.max_tokens)[0]


def close(actual: Any, expected: Any) -> None:
    torch.testing.assert_close(torch.as_tensor(actual), torch.as_tensor(expected), rtol=1e-4, atol=5e-5)


@pytest.mark.parametrize("case", [*map(marked, CASES)])
def test_maps_and_head_outputs_are_those_of_the_eager_network(case: Case, model_of: Any, eager: Any) -> None:
    model = model_of(case)
    passage = passage_of(model, case)
    (captured,), expected = capture(model, [passage], keep_maps=True), eager(case, passage)
    assert captured.attention is not None
    assert captured.z.shape[:3] == (model.layers, model.heads, len(passage)) == expected.maps.shape[:3]
    close(captured.attention, expected.maps)
    close(captured.received, expected.maps.mean(dim=2))
    close(captured.received.sum(dim=-1), torch.ones(captured.z.shape[:2]))
    sees = (expected.maps > 0).any(dim=1).double()
    np.testing.assert_allclose(captured.even, (sees / sees.sum(dim=2, keepdim=True)).mean(dim=1), rtol=1e-5)
    close(attention_maps(model, passage, [Head(1, 1)])[0], expected.maps[1, 1])
    assert model.causal == bool((expected.maps.triu(1) == 0).all())
    close(last_states(model, [passage])[0], expected.states)
    for z in captured.z:  # side by side, the heads' outputs are what the output projection is given
        flat = z.transpose(0, 1).flatten(1)
        given = [x for x in expected.given if x.shape[-1] == flat.shape[-1] and x.numel() == flat.numel()]
        assert any(torch.allclose(x.reshape(flat.shape), flat, rtol=1e-4, atol=5e-5) for x in given)


@of_mechanisms
def test_padded_and_batched_equals_single(case: Case, model_of: Any, read: Read) -> None:
    """The short passage is padded far beyond the sliding windows of 8 tokens that some of these models have."""
    model = model_of(case)
    passages = [read(model, SHORT), read(model, IN_SHORT), read(model, "The pier."), read(model, IN_SHORT)]
    assert len({len(passage) for passage in passages}) == 3
    for passage, together in zip(passages, capture(model, passages, keep_maps=True), strict=True):
        (alone,) = capture(model, [passage], keep_maps=True)
        for name in ("z", "received", "attention", "even"):
            close(getattr(together, name), getattr(alone, name))


@of_mechanisms
def test_gradients_reach_the_head_outputs_and_the_states_stay(case: Case, model_of: Any, eager: Any) -> None:
    model = model_of(case)
    if case.family == "gemma2":  # whose attention scores are capped
        with pytest.raises(ModelError, match="has no gradients"):
            capture_with_gradients(model, passage_of(model, case))
        return
    passage = passage_of(model, case)
    states, z = capture_with_gradients(model, passage)
    close(states.detach(), eager(case, passage).states)
    assert len(z) == model.layers and all(one.requires_grad for one in z)


# What computes the values of a family whose captures come from a hook, and of others.
ALONE: Callable[[Tensor], Tensor] = lambda made: made  # noqa: E731
HEAD_BY_HEAD: Callable[[Tensor], Tensor] = lambda made: made.unflatten(-1, (4, 3, 8))[:, :, 2].flatten(1)  # noqa: E731
LAST: Callable[[Tensor], Tensor] = lambda made: made[:, 64:]  # noqa: E731
VALUES: dict[str, tuple[str, Callable[[Tensor], Tensor]]] = {
    "mpnet": ("attn.v", ALONE), "deberta": ("self.in_proj", HEAD_BY_HEAD), "deberta-v2": ("self.value_proj", ALONE),
    **dict.fromkeys(("roformer", "rembert", "megatron-bert", "bert", "ibert"), ("self.value", ALONE)),
    **dict.fromkeys(("llama", "gptj", "gpt_neo", "xglm"), ("v_proj", ALONE)),
    **dict.fromkeys(("bloom", "gpt_neox_japanese"), ("query_key_value", HEAD_BY_HEAD)),
    "falcon": ("query_key_value", lambda made: made.unflatten(-1, (2, 4, 8))[:, :, 3].flatten(1)),
    "codegen": ("qkv_proj", lambda made: made.unflatten(-1, (4, 3, 8))[:, :, 1].flatten(1)),
    "mpt": ("Wqkv", LAST), "openai-gpt": ("c_attn", LAST), "ctrl": ("Wv", ALONE),
    **dict.fromkeys(("xlm", "flaubert"), ("v_lin", ALONE)),
}  # fmt: skip


@pytest.mark.parametrize("case", [marked(Case(family)) for family in VALUES])
def test_a_head_output_is_the_attended_mean_of_the_values(case: Case, model_of: Any, eager: Any) -> None:
    """Where z comes from a hook on the projection, that it passes through the projection proves nothing."""
    assert VALUES.keys() >= FAMILIES.keys()
    model = model_of(case)
    passage = passage_of(model, case)
    (output,), expected = capture(model, [passage], keep_maps=True), eager(case, passage)
    end, values_in = VALUES[case.family]
    layers = [(name, values_in(made[0])) for name, made in expected.made if name.endswith(end)]
    visited: list[Tensor] = []
    visit_attention(model, passage, lambda _layer, _heads, _queries, _weights, values: visited.append(values), 3)
    assert len(layers) == len(visited) == 3
    assert output.attention is not None
    for z, weights, (name, made), read in zip(output.z, output.attention, layers, visited, strict=True):
        if case.family == "deberta":  # whose bias is added later
            network: Any = model.network
            made = made + network.get_submodule(name.removesuffix(".in_proj")).v_bias
        values = made.unflatten(-1, (-1, 8)).transpose(0, 1)
        values = values.repeat_interleave(4 // len(values), dim=0)  # heads of a group share their values
        close(z, weights @ values)
        close(read, values)


def test_numbers_that_are_not_finite_are_one_sentence(tiny_bert_folder: Any, read: Read) -> None:
    model = load(ModelSpec(str(tiny_bert_folder)))
    embeddings: Any = model.network.get_input_embeddings()
    with torch.no_grad():
        embeddings.weight[read(model, "rope").token_ids[1]] = float("nan")
    with pytest.raises(ModelError, match=r"not finite numbers \(NaN\)"):
        capture(model, [read(model, "The rope.")])


CHUNKS = torch.block_diag(*[torch.ones(4, 4, dtype=torch.bool).tril()] * 3)[:9, :9]


@pytest.mark.parametrize(
    ("mask", "sees"),
    [
        (False, torch.ones(9, 9)), (True, torch.ones(9, 9).tril()), (CHUNKS[None, None], CHUNKS),
        (torch.where(CHUNKS, -3.0, torch.finfo().min)[None, None], CHUNKS),
    ],
)  # fmt: skip
def test_even_attention_is_that_of_loops_over_what_a_query_may_see(mask: Tensor | bool, sees: Tensor) -> None:
    collection = Recorder(torch.full((1, 9), 1 / 9))
    for _ in range(2):
        collection.record_even(mask)
    expected = [
        sum(float(sees[query, key]) / max(1, int(sees[query].sum())) for query in range(9)) / 9 for key in range(9)
    ]
    for even in collection.even:
        close(even[0], torch.tensor(expected))
