"""An encoder that reads a source while its decoder reads another text, against the whole network as transformers runs it."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
import transformers as hf
from torch import Tensor

import attn_core
from attn_core.analysis import reading_cache
from attn_core.analysis.attention_maps import attention_of
from attn_core.analysis.keywords import keywords
from attn_core.analysis.reading import read
from attn_core.errors import InputError, ModelError, TextError
from attn_core.findings.verdicts import findings
from attn_core.head import Head
from attn_core.io.paths import called
from attn_core.models import windows as of_windows
from attn_core.models.capture import attention_maps, capture, layer_states
from attn_core.models.files import ModelSpec, Stack
from attn_core.models.intervened import intervened
from attn_core.models.intervention import Intervention
from attn_core.models.loading import load
from attn_core.models.records import LoadedModel
from attn_core.models.windows import in_windows_of, with_source
from attn_core.similarity.words import in_unit, in_words
from attn_core.study.corpus import Corpus
from attn_core.study.runner import run_study
from attn_core.texts.documents import read_document
from attn_core.texts.passages import Passage, read_passages
from tests.families import TEXT, Folder, Stacks
from tests.models.test_stacks import by_hand, close, every_family, every_mechanism, every_stack

TARGET = "Some say the rope held. The tea is cold by noon, and nobody asked."
SOURCE = "Nobody knew who tied the boats so short. The rope was wet; the rope was old. A café sells tea by the pier."


def windows(model: LoadedModel, text: str) -> list[Passage]:
    return list(read_passages(read_document(text), model.tokenizer, model.max_tokens))


def tokens_of(folder: Path, source: str) -> Tensor:
    """A source as the published tokenizer cuts it, (1, token)."""
    return hf.AutoTokenizer.from_pretrained(folder)(source, return_tensors="pt")["input_ids"]


@every_family
@every_stack
def test_heads_maps_and_states_are_those_of_the_whole_network(
    family: str, stack: Stack, stack_of: Stacks, stacks_folder: Folder
) -> None:
    model = with_source(stack_of(family, stack), SOURCE)
    (passage,) = windows(model, TARGET)
    folder = stacks_folder(family)
    weights, z, states = by_hand(folder, passage, stack, tokens_of(folder, SOURCE))
    (captured,) = capture(model, [passage], keep_maps=True)
    assert captured.attention is not None and model.source is not None
    assert len(model.source.passage) not in (len(passage), len(passage) + 1)
    close(captured.z, z)
    close(layer_states(model, passage)[-1], states)
    if stack == "cross":
        assert captured.attended is model.attended is model.source.passage
        assert bool((captured.attention[..., 0] == 0).all())
        close(captured.attention[..., 1:], weights)
        assert not captured.received.any() and not captured.even.any()
    else:
        assert captured.attended is model.attended is None
        close(captured.attention, weights)
        close(captured.received, weights.mean(dim=2))
    (plain,) = capture(stack_of(family, stack), [passage])
    assert not torch.allclose(captured.z, plain.z, atol=1e-2)
    head = Head(1, 1)
    close(attention_maps(model, passage, [head])[0], captured.attention[head])


@every_mechanism
@every_stack
def test_the_text_as_its_own_source_gives_bit_for_bit_what_it_gives_alone(
    family: str, stack: Stack, stack_of: Stacks
) -> None:
    alone, beside = stack_of(family, stack), with_source(stack_of(family, stack), TARGET)
    (passage,) = windows(alone, TARGET)
    ((first, again),) = zip(capture(alone, [passage], True), capture(beside, [passage], True), strict=True)
    assert torch.equal(first.z, again.z)
    assert first.attention is not None and again.attention is not None
    assert torch.equal(first.attention, again.attention)
    if stack == "decoder":
        assert torch.equal(first.received, again.received)


@pytest.mark.parametrize("family", ["t5", "bart"])
@every_stack
def test_every_table_of_a_text_as_its_own_source_is_the_same(family: str, stack: Stack, stack_of: Stacks) -> None:
    """But for the attention that tokens receive where heads attend to another text, and what is made of it."""
    alone = attn_core.analyze(TARGET, stack_of(family, stack)).tables()
    beside = attn_core.analyze(TARGET, stack_of(family, stack), source=TARGET).tables()
    assert alone.keys() == beside.keys()
    for name in alone:
        one, other = alone[name], beside[name]
        if stack == "cross":
            of_attention = [
                column for column in one if re.search("received|separator|sep_|punctuation|cluster", column)
            ]
            one, other = (each.drop(columns=of_attention) for each in (one, other))
            one, other = (
                each[~each["effect"].str.startswith("separator")] if name == "effects" else each
                for each in (one, other)
            )
        pd.testing.assert_frame_equal(one, other, check_exact=True, obj=name)
    if stack == "cross":
        assert not beside["attention"][["received", "chance_received"]].any(axis=None)


@every_mechanism
@every_stack
def test_a_padded_batch_gives_what_each_window_gives_alone(family: str, stack: Stack, stack_of: Stacks) -> None:
    """One of the windows is as long as the source, so that neither can be taken for the other."""
    source = TEXT[:200]
    model = with_source(stack_of(family, stack), source)
    passages = [windows(model, text)[0] for text in (source, "Some say the rope held.")]
    for passage, together in zip(passages, capture(model, passages, keep_maps=True), strict=True):
        (alone,) = capture(model, [passage], keep_maps=True)
        close(together.z, alone.z)
        close(together.received, alone.received)
        close(together.attention, alone.attention)


def test_a_source_that_is_too_long_is_cut_to_a_window_and_that_is_said(stack_of: Stacks) -> None:
    long = " ".join([TEXT] * 2)
    model = with_source(stack_of("bart", "cross"), long)
    first, *rest = windows(model.source.alone, long)  # type: ignore[union-attr]
    assert model.source is not None and rest
    np.testing.assert_array_equal(model.source.passage.token_ids, first.token_ids)
    assert str(model.source) == f"the first of its {1 + len(rest)} windows, {len(first) - 1} tokens"
    told = attn_core.analyze(TARGET, model).provenance
    assert (told["source_windows"], told["source_sha256"]) == (f"1 of {1 + len(rest)}", model.spec.source_sha256)
    shorter = in_windows_of(model, 32)
    assert shorter.source is not None and shorter.source.windows > model.source.windows
    assert len(shorter.source.passage) <= shorter.max_tokens == 32
    assert str(with_source(model, "It held.").source).startswith("all of it, ")


def test_maps_to_a_source_that_would_not_fit_are_refused(stack_of: Stacks, monkeypatch: pytest.MonkeyPatch) -> None:
    model = with_source(in_windows_of(stack_of("t5", "cross"), 1024), " ".join([TEXT] * 9))
    (passage,) = windows(model, TARGET)
    assert model.attended is not None and len(passage) < 512 < len(model.attended)
    needed = 2 * 4 * model.layers * model.heads * len(passage) * len(model.attended)
    monkeypatch.setattr(of_windows, "available_memory", lambda: needed)
    assert capture(model, [passage], keep_maps=True)[0].attention is not None
    monkeypatch.setattr(of_windows, "available_memory", lambda: needed - 1)
    with pytest.raises(ModelError, match="would take about .* of memory"):
        capture(model, [passage], keep_maps=True)


def test_the_source_is_a_part_of_every_name_key_and_provenance(
    stack_of: Stacks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATTN_CORE_CACHE", str(tmp_path))
    model, document = with_source(stack_of("t5", "cross"), SOURCE), read_document(TARGET)
    fresh = read(model, document, window=1)
    assert (
        str(model.spec) == f"{called(model.spec.name)}, cross-attention, source sha256 {model.spec.source_sha256[:12]}"
    )
    reading_cache.keep_reading(fresh, "en", 0)
    again = reading_cache.find_reading(model.spec, document, "en", "plain", 0, lambda: model)
    assert again is not None
    np.testing.assert_array_equal(again.outputs[0].z, fresh.outputs[0].z)
    np.testing.assert_array_equal(again.outputs[0].even, fresh.outputs[0].even)
    one, other = (attn_core.analyze_reading(each).provenance for each in (fresh, again))
    assert one == other and one["source_windows"] == "1 of 1"
    for source in (None, TARGET):
        spec = replace(model.spec, source=source)
        assert reading_cache.find_reading(spec, document, "en", "plain", 0, lambda: model) is None
    assert "source_sha256" not in attn_core.analyze(TARGET, stack_of("t5", "cross")).provenance


@every_stack
def test_load_and_analyze_take_a_source(stack: Stack, stack_of: Stacks, stacks_folder: Folder) -> None:
    spec = ModelSpec(str(stacks_folder("t5")), stack=stack, source=SOURCE)
    loaded, beside = (
        attn_core.analyze(TARGET, load(spec)),
        attn_core.analyze(TARGET, stack_of("t5", stack), source=SOURCE),
    )
    assert loaded.provenance == beside.provenance
    assert loaded.pairs.equals(beside.pairs)
    assert not loaded.pairs.equals(attn_core.analyze(TARGET, stack_of("t5", stack)).pairs)
    outputs = attn_core.head_outputs(TARGET, stack_of("t5", stack), source=SOURCE)
    np.testing.assert_array_equal(outputs.z, loaded.reading.outputs[0].z)


@every_stack
def test_a_source_goes_with_interventions_windows_and_blocks(stack: Stack, stack_of: Stacks) -> None:
    """Whatever is put on first; and the values of an intervention are found without it."""
    model, head = stack_of("t5", stack), Intervention((Head(0, 1),), "mean")
    (passage,) = windows(model, TARGET)
    one, other = with_source(intervened(model, head), SOURCE), intervened(with_source(model, SOURCE), head)
    assert one.spec == other.spec
    (first,), (second,) = capture(one, [passage]), capture(other, [passage])
    assert torch.equal(first.z, second.z)
    (alone,) = capture(intervened(model, head), [passage])
    assert torch.equal(first.z[0, 1], alone.z[0, 1]) and not torch.equal(first.z[1], alone.z[1])
    with attn_core.without(model, ["L1H2"]):
        (blocked,) = capture(with_source(model, SOURCE), [passage])
        (bare,) = capture(model, [passage])
    assert torch.equal(blocked.z, first.z) and torch.equal(bare.z, alone.z)


def test_without_a_block_of_the_model_a_spec_with_a_source_is_read(stack_of: Stacks, stacks_folder: Folder) -> None:
    spec = ModelSpec(str(stacks_folder("t5")), stack="cross")
    with attn_core.without(load(spec), ["L1H2"], "zero"):
        analysis = attn_core.analyze(TARGET, spec, source=SOURCE)
    assert bool((analysis.reading.outputs[0].z[0, 1] == 0).all())
    assert "source sha256" in analysis.provenance["model"] and "without L1H2" in analysis.provenance["model"]


@every_stack
def test_everything_follows_over_words_too(stack: Stack, stack_of: Stacks) -> None:
    model = with_source(stack_of("bart", stack), SOURCE)
    analysis = attn_core.analyze(TARGET, model, settings=attn_core.Settings(unit="words"))
    assert analysis.heads["mean_distance"].notna().all()
    assert len(keywords(analysis.reading).dropna()) == len(keywords(analysis.reading)) > 0
    (passage,) = windows(model, TARGET)
    words = in_words(passage)[0]
    (weights,) = attention_of(model, passage, [Head(1, 1)], "words")
    keys = in_words(model.attended)[0] if model.attended else words
    assert weights.shape == (len(words), len(keys))
    (captured,) = capture(model, [passage], keep_maps=True)
    of_words = in_unit("words", passage, captured)[1]
    assert of_words.attention is not None
    np.testing.assert_allclose(of_words.attention[1, 1], weights, atol=1e-6)
    assert (of_words.attended is None) == (stack == "decoder")


def test_attention_to_separators_is_not_asked_of_heads_that_attend_to_another_text(stack_of: Stacks) -> None:
    by_claim = {one.claim: one for one in findings(attn_core.analyze(TEXT, stack_of("t5", "cross"), source=SOURCE))}
    assert by_claim["C6"].verdict == "not asked" and "no separator token in reach" in by_claim["C6"].sentence


@pytest.mark.parametrize("family", ["bert", "gpt2"])
def test_a_model_that_needs_no_source_refuses_one(family: str, tiny_folder: Folder) -> None:
    for model in (str(tiny_folder(family)), load(ModelSpec(str(tiny_folder(family))))):
        with pytest.raises(
            InputError, match="Only the decoder of an encoder-decoder reads one text after .* leave the source"
        ):
            attn_core.analyze(TARGET, model, source=SOURCE)
    with pytest.raises(ModelError, match="has one stack"):
        load(ModelSpec(str(tiny_folder(family)), stack="decoder", source=SOURCE))


def test_bad_sources_are_refused(stack_of: Stacks) -> None:
    for empty in ("", " \n"):
        with pytest.raises(InputError, match="The source, which the encoder reads, is empty"):
            with_source(stack_of("t5", "cross"), empty)
    with pytest.raises(TextError, match=r"The source, which the encoder reads, cannot be read\. There is no word"):
        with_source(stack_of("t5", "cross"), "...")
    with pytest.raises(TextError, match="A source is a string, and these are bytes"):
        ModelSpec(stack="cross", source=b"x")  # type: ignore[arg-type]


def test_a_study_takes_no_source(stacks_folder: Folder, tmp_path: Path) -> None:
    texts = tmp_path / "texts"
    texts.mkdir()
    (texts / "a.txt").write_text(TARGET)
    spec = ModelSpec(str(stacks_folder("t5")), stack="cross", source=SOURCE)
    with pytest.raises(InputError, match="Each text of a corpus would need a source of its own"):
        run_study(Corpus(str(texts)), spec, tmp_path / "study")
