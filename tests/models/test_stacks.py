"""The decoder and the cross-attention of encoder-decoders; `test_capture` tests their head outputs and maps."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers as hf
from tokenizers.processors import RobertaProcessing

import attn_core
from attn_core.errors import ModelError
from attn_core.head import Head
from attn_core.io.paths import display_name
from attn_core.models.capture import capture
from attn_core.models.files import ModelSpec, Stack
from attn_core.models.loading import ablate, load
from attn_core.similarity.words import UNITS
from tests.families import (
    ENCODER_DECODERS,
    SERVED,
    TEXT,
    Read,
    Stacks,
    of_families,
    save_network,
    save_tiny,
    save_tokenizer,
)

SHORT = "Some say the rope held."
BEGINS = {"t5": "<pad>", "bart": "</s>", "mbart": "</s>", "marian": "<pad>", "pegasus": "<pad>"}
every_stack = pytest.mark.parametrize("stack", ["decoder", "cross"])


@of_families(ENCODER_DECODERS)
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
def test_only_the_heads_of_the_stack_are_changed(stack: Stack, stack_of: Stacks, read: Read) -> None:
    model = stack_of("bart", stack)
    passage = read(model, SHORT)
    head = Head(0, 1)
    (plain,) = capture(model, [passage])
    (zero,) = capture(ablate(model, (head,), "zero"), [passage])
    assert bool((zero.z[head] == 0).all()) and torch.equal(zero.z[0, 0], plain.z[0, 0])
    assert not torch.allclose(zero.z[1], plain.z[1])
    (even,) = capture(ablate(model, (head,), "even"), [passage])
    np.testing.assert_allclose(even.received[head], even.even[head.layer], rtol=1e-5, atol=1e-6)


@every_stack
def test_everything_follows(stack: Stack, stack_of: Stacks) -> None:
    model = stack_of("bart", stack)
    for unit in UNITS:
        analysis = attn_core.analyze(TEXT[:200], model, unit=unit)
        heads = analysis.heads
        assert len(heads) == model.layers * model.heads
        assert heads["separator_attention"].between(0, 1).all() and heads["mean_distance"].notna().all()
    called_so = display_name(model.spec.name) + {"decoder": ", decoder", "cross": ", cross-attention"}[stack]
    assert analysis.provenance["model"] == str(model.spec) == called_so


def two_vocabularies(folder: Path) -> Path:
    config = ENCODER_DECODERS["marian"].config()
    config.share_encoder_decoder_embeddings, config.tie_word_embeddings = False, False
    save_tokenizer(folder, "ending")
    return save_network(folder, hf.MarianModel(config))


@every_stack
@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda folder: save_tiny(folder, SERVED["bert"]), "has one stack and no {}: leave the stack out"),
        (two_vocabularies, "a vocabulary of its own"),
    ],
)
def test_a_stack_that_cannot_be_read_is_refused(make: Callable, says: str, stack: Stack, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=says.format(stack)):
        load(ModelSpec(str(make(tmp_path)), stack=stack))
