"""The decoder and the cross-attention of encoder-decoders, against the whole network as transformers runs it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers as hf
from tokenizers.processors import RobertaProcessing
from torch import Tensor

import attn_core
from attn_core.errors import InputError, ModelError
from attn_core.head import Head
from attn_core.io.paths import called
from attn_core.models.capture import attached, attention_maps, capture
from attn_core.models.files import STACKS, ModelSpec, Stack, stacks_of
from attn_core.models.head_outputs import evenly_received
from attn_core.models.language_head import language_head
from attn_core.models.loading import load
from attn_core.models.named import ablate
from attn_core.models.removal import Removal
from attn_core.models.saving import check_saving
from attn_core.similarity.words import UNITS
from attn_core.texts.passages import Passage
from tests.families import (
    ENCODER_DECODERS,
    SERVED,
    TEXT,
    Folder,
    Read,
    Stacks,
    by_mechanism,
    of_families,
    save_network,
    save_tiny,
    save_tokenizer,
)

SHORT = "Some say the rope held."
VALUES = {"decoder": ("self_attn.v_proj", "SelfAttention.v"), "cross": ("encoder_attn.v_proj", "EncDecAttention.v")}
BEGINS = {"t5": "<pad>", "bart": "</s>", "mbart": "</s>", "marian": "<pad>", "pegasus": "<pad>"}
every_family, every_mechanism = of_families(ENCODER_DECODERS), by_mechanism(ENCODER_DECODERS)
every_stack = pytest.mark.parametrize("stack", ["decoder", "cross"])


@torch.inference_mode()
def by_hand(folder: Path, passage: Passage, stack: Stack) -> tuple[Tensor, Tensor, Tensor]:
    """Weights (layer, head, query, key), weights x values, and the last states, by the eager network as published."""
    whole: Any = hf.AutoModel.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32).eval()
    values = list[Tensor]()
    for name, module in whole.decoder.named_modules():
        if name.endswith(VALUES[stack]):
            module.register_forward_hook(lambda _module, _inputs, made: values.append(made))
    ids = torch.from_numpy(passage.token_ids)[None]
    made = whole(input_ids=ids[:, 1:], decoder_input_ids=ids, output_attentions=True, use_cache=False)
    weights = torch.cat(made.decoder_attentions if stack == "decoder" else made.cross_attentions)
    by_head = torch.cat([value.unflatten(-1, (weights.shape[1], -1)).transpose(1, 2) for value in values])
    return weights, weights @ by_head, made.last_hidden_state[0]


def close(actual: Any, expected: Any) -> None:
    torch.testing.assert_close(torch.as_tensor(actual), torch.as_tensor(expected), rtol=1e-4, atol=1e-4)


@every_family
@every_stack
def test_heads_and_maps_are_those_of_the_whole_network(
    family: str, stack: Stack, stack_of: Stacks, stacks_folder: Folder, read: Read
) -> None:
    model = stack_of(family, stack)
    passage = read(model, TEXT[:200])
    weights, z, _ = by_hand(stacks_folder(family), passage, stack)
    (captured,) = capture(model, [passage], keep_maps=True)
    assert captured.attention is not None
    assert (model.layers, model.heads) == (2, 4 if family == "t5" else 2) == captured.z.shape[:2]
    close(captured.z, z)
    if stack == "cross":  # no head attends to the decoder's first token, which the encoder did not read
        assert bool((captured.attention[..., 0] == 0).all())
        close(captured.attention[..., 1:], weights)
        close(captured.received[..., 1:], weights.mean(dim=2))
        assert not model.causal
    else:
        close(captured.attention, weights)
        assert model.causal
    close(captured.attention.sum(-1), torch.ones(captured.attention.shape[:-1]))
    head = Head(1, 1)
    close(attention_maps(model, passage, [head])[0], captured.attention[head])


@every_mechanism
@every_stack
def test_a_padded_batch_gives_what_each_window_gives_alone(
    family: str, stack: Stack, stack_of: Stacks, read: Read
) -> None:
    model = stack_of(family, stack)
    passages = [read(model, TEXT[:200]), read(model, SHORT)]
    for passage, together in zip(passages, capture(model, passages, keep_maps=True), strict=True):
        (alone,) = capture(model, [passage], keep_maps=True)
        close(together.z, alone.z)
        close(together.received, alone.received)
        close(together.attention, alone.attention)


@every_family
def test_the_decoder_begins_with_its_own_token_which_separates_nothing(
    family: str, stack_of: Stacks, read: Read
) -> None:
    encoder, decoder = (read(stack_of(family, stack), SHORT) for stack in ("encoder", "decoder"))
    assert decoder.tokens == (BEGINS[family], *encoder.tokens)
    assert decoder.is_special[0] and not decoder.is_separator[0] and decoder.sentences[0] == -1
    for name in ("starts", "ends", "sentences", "pretokens", "is_special", "is_separator"):
        np.testing.assert_array_equal(getattr(decoder, name)[1:], getattr(encoder, name))


def test_the_decoder_of_bart_trims_its_tokens_as_its_encoder_does(tmp_path: Path, read: Read) -> None:
    folder = save_tiny(tmp_path / "bart", ENCODER_DECODERS["bart"])
    tokenizer = hf.AutoTokenizer.from_pretrained(folder)
    tokenizer.backend_tokenizer.post_processor = RobertaProcessing(("</s>", 2), ("<s>", 0), trim_offsets=True)
    tokenizer.save_pretrained(folder)
    encoder, cross = (read(load(ModelSpec(str(folder), stack=stack)), SHORT) for stack in ("encoder", "cross"))
    assert cross.tokens == ("</s>", *encoder.tokens)
    assert cross.starts[1:].tolist() == encoder.starts.tolist()
    assert not any(SHORT[start] == " " for start in encoder.starts if start >= 0)


@every_stack
def test_the_states_are_those_of_the_whole_network_and_the_encoder_is_as_ever(
    stack: Stack, stack_of: Stacks, stacks_folder: Folder, read: Read
) -> None:
    model = stack_of("t5", stack)
    passage = read(model, SHORT)
    states, z = attached(model, passage)
    close(states.detach(), by_hand(stacks_folder("t5"), passage, stack)[2])
    assert len(z) == 2 and all(one.requires_grad or one.grad_fn is None for one in z)
    assert stack_of("t5", "encoder").layers == 3


@every_stack
def test_only_the_heads_of_the_stack_are_changed(stack: Stack, stack_of: Stacks, read: Read) -> None:
    model = stack_of("bart", stack)
    passage = read(model, SHORT)
    head = Head(0, 1)
    (plain,) = capture(model, [passage])
    (zero,) = capture(ablate(model, (head,), "zero"), [passage])
    assert bool((zero.z[head] == 0).all()) and torch.equal(zero.z[0, 0], plain.z[0, 0])
    assert not torch.allclose(zero.z[1], plain.z[1])
    (even,) = capture(ablate(model, (head,), "even"), [passage])
    close(even.received[head], even.even.astype(np.float32))


def test_even_attention_to_a_source_leaves_the_first_token_out() -> None:
    assert evenly_received(5, causal=False, stack="cross").tolist() == [0, 0.25, 0.25, 0.25, 0.25]


@every_mechanism
@every_stack
def test_everything_follows(family: str, stack: Stack, stack_of: Stacks) -> None:
    model = stack_of(family, stack)
    for unit in UNITS:
        analysis = attn_core.analyze(TEXT[:200], model, unit=unit)
        assert len(analysis.heads) == model.layers * model.heads
        heads = analysis.heads
        assert heads["separator_attention"].between(0, 1).all() and heads["mean_distance"].notna().all()
    assert analysis.provenance["model"] == str(model.spec)
    assert str(model.spec) == called(model.spec.name) + {"decoder": ", decoder", "cross": ", cross-attention"}[stack]


def test_the_chance_of_cross_attention_is_over_the_source(stack_of: Stacks, read: Read) -> None:
    model = stack_of("t5", "cross")
    passage = read(model, TEXT[:200])
    heads = attn_core.analyze(TEXT[:200], model).heads
    share = passage.is_separator[1:].mean()
    np.testing.assert_allclose(heads["chance_separator_attention"], share)


def test_a_model_says_which_stacks_it_has(stacks_folder: Folder, tiny_folder: Folder) -> None:
    assert all(stacks_of(ModelSpec(str(stacks_folder(family)))) == STACKS for family in ENCODER_DECODERS)
    assert stacks_of(ModelSpec(str(tiny_folder("gpt2")))) == stacks_of(ModelSpec("no-such/model")) == ("encoder",)


@pytest.mark.parametrize("family", ["bert", "gpt2"])
@every_stack
def test_a_stack_that_a_model_has_not_is_refused(family: str, stack: Stack, tiny_folder: Folder) -> None:
    with pytest.raises(ModelError, match=f"has one stack and no {stack} beside it: leave the stack out"):
        load(ModelSpec(str(tiny_folder(family)), stack=stack))


def test_a_decoder_that_was_not_published_is_refused(tmp_path: Path) -> None:
    save_tokenizer(tmp_path, "ending")
    save_network(tmp_path, hf.T5EncoderModel(SERVED["t5"].config()))
    with pytest.raises(ModelError, match="lacks .* weights|has one stack"):
        load(ModelSpec(str(tmp_path), stack="decoder"))


def test_a_decoder_with_a_vocabulary_of_its_own_is_refused(tmp_path: Path) -> None:
    config = ENCODER_DECODERS["marian"].config()
    config.share_encoder_decoder_embeddings, config.tie_word_embeddings = False, False
    save_tokenizer(tmp_path, "ending")
    save_network(tmp_path, hf.MarianModel(config))
    with pytest.raises(ModelError, match="a vocabulary of its own"):
        load(ModelSpec(str(tmp_path), stack="cross"))


@every_stack
def test_what_is_not_had_of_a_decoder_is_said(stack: Stack, stack_of: Stacks, tmp_path: Path) -> None:
    model = stack_of("bart", stack)
    with pytest.raises(ModelError, match="Losses are not computed of .*: ask for"):
        language_head(model)
    with pytest.raises(InputError, match="or its encoder, is saved"):
        check_saving(model, Removal((Head(0, 0),), "zero"), tmp_path / "saved")
