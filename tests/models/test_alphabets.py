"""Models of other alphabets, tokenizers and ways of padding than those of English."""

import io
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
import torch
import transformers as hf
from tokenizers import Tokenizer, models, pre_tokenizers

import attn_core
from attn_core.errors import TextError
from attn_core.models.capture import capture
from attn_core.models.files import ModelSpec
from attn_core.models.loading import load
from attn_core.models.self_check import probe
from attn_core.texts.documents import read_document
from attn_core.texts.passages import read_passages
from tests.families import DECODER, ENCODER, SERVED, TEXT, Family, network, save_network, save_tiny

DNA = "ACGTACGGTCAACGTTACGATCGATCGGCTAAGCTAGCTTACGG"
SHORT, LONG = "The rope held.", TEXT
MOBILE = {"embedding_size": 16, "intra_bottleneck_size": 16, "true_hidden_size": 16}


def letters(folder: Path, config: Any, alphabet: str = "ACGT", words: bool = False) -> Path:
    """A model of single letters, whose tokenizer knows no unknown token and puts nothing around a text."""
    vocabulary = {letter: number for number, letter in enumerate(["<pad>", *alphabet])}
    made = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>") if words else models.BPE(vocabulary, []))
    made.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    hf.PreTrainedTokenizerFast(tokenizer_object=made, pad_token="<pad>").save_pretrained(folder)
    return save_network(folder, network(config))


@pytest.mark.parametrize(("alphabet", "causal"), [("ACGT", False), ("क", False), ("क", True), ("01", True)])
def test_a_model_of_letters_is_causal_only_where_it_is(alphabet: str, causal: bool, tmp_path: Path) -> None:
    config = hf.GPT2Config(vocab_size=32, n_embd=32, n_layer=2, n_head=4) if causal else hf.BertConfig(**ENCODER)
    model = load(ModelSpec(str(letters(tmp_path, config, alphabet))))
    assert model.causal == causal
    assert set(probe(model)) == set(range(1, 1 + len(alphabet)))


def test_a_text_without_an_unknown_token_is_read_or_refused_in_a_sentence(tmp_path: Path) -> None:
    folder = letters(tmp_path, hf.BertConfig(**ENCODER), words=True)
    read = attn_core.analyze(DNA, str(folder))  # the English reference texts cannot be read
    assert len(read.reading.passages[0]) == len(DNA)
    assert len(read.reading.segments)
    with pytest.raises(TextError, match=r"^The tokenizer of this model cannot read this text \(.*\)\.$"):
        attn_core.analyze("The tide rose.", str(folder))


def rotary(**parameters: Any) -> dict[str, Any]:
    return {"rope_parameters": {"rope_theta": 10000.0, **parameters}}


LONGROPE = rotary(
    rope_type="longrope", original_max_position_embeddings=12, short_factor=[1.0] * 4, long_factor=[4.0] * 4, factor=8.0
)
OF_THEIR_OWN = {
    "mobilebert": Family(hf.MobileBertConfig, ENCODER | MOBILE),
    "longrope": Family(hf.LlamaConfig, DECODER | LONGROPE, "bytes"),
    "dynamic": Family(
        hf.LlamaConfig, DECODER | {"max_position_embeddings": 12} | rotary(rope_type="dynamic", factor=4.0), "bytes"
    ),
}


@pytest.mark.parametrize("family", OF_THEIR_OWN)
def test_the_numbers_of_a_text_are_its_own_whatever_is_read_beside_it(family: str, tmp_path: Path) -> None:
    model = load(ModelSpec(str(save_tiny(tmp_path, OF_THEIR_OWN[family]))))
    assert model.no_padding
    short, long = (read_passages(read_document(text), model.tokenizer, 90)[0] for text in (SHORT, LONG))
    alone, beside = capture(model, [short])[0], capture(model, [long, short])[1]
    torch.testing.assert_close(beside.z, alone.z)


def test_a_tokenizer_may_come_as_a_file_of_sentencepiece(tmp_path: Path) -> None:
    save_network(tmp_path, network(SERVED["deberta-v2"].config()))
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([TEXT]), model_writer=written, vocab_size=60, hard_vocab_limit=False, pad_id=0, bos_id=1,
        eos_id=2, unk_id=3, pad_piece="[PAD]", bos_piece="[CLS]", eos_piece="[SEP]", unk_piece="[UNK]", minloglevel=2,
    )  # fmt: skip
    (tmp_path / "spm.model").write_bytes(written.getvalue())
    (tmp_path / "tokenizer_config.json").write_text('{"tokenizer_class": "DebertaV2Tokenizer", "do_lower_case": false}')
    model = load(ModelSpec(str(tmp_path)))
    (passage,) = read_passages(read_document("The tide rose."), model.tokenizer, 90)
    assert (passage.tokens[0], passage.tokens[1][0], passage.tokens[-1]) == ("[CLS]", "▁", "[SEP]")
    assert "[UNK]" not in passage.tokens
