"""Windows as long as the model reads: what is captured of one, how long it may be, and that the usual ones stay as they are."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers as hf
from hypothesis import given
from hypothesis import strategies as st

import attn_core
from attn_core.errors import InputError, ModelError
from attn_core.head import Head, every_head
from attn_core.io.paths import called
from attn_core.models import capture, memory, windows
from attn_core.models.ablation import mean_outputs
from attn_core.models.files import WINDOW, ModelSpec
from attn_core.models.loading import load
from attn_core.models.named import ablate
from attn_core.models.records import LoadedModel
from attn_core.models.windows import in_windows_of
from attn_core.texts.documents import read_document
from attn_core.texts.passages import Passage, read_passages
from tests.families import DECODER, ENCODER, LOCAL, TEXT, VOCABULARY, Family, save_tiny

READS = 4096
TOKENS = 1500
LONG = {"max_position_embeddings": READS, "num_hidden_layers": 2}
SPECIAL = {"pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 3}
FAMILIES = {
    "modernbert": Family(
        lambda: hf.ModernBertConfig(  # type: ignore[call-arg]
            **ENCODER | LONG | SPECIAL, local_attention=128, global_attn_every_n_layers=2, cls_token_id=2, sep_token_id=3
        )
    ),
    "nomic_bert": Family(lambda: hf.NomicBertConfig(**ENCODER | LONG)),
    "llama": Family(lambda: hf.LlamaConfig(**DECODER | LONG), "bytes", causal=True),
    "gemma3": Family(
        lambda: hf.Gemma3TextConfig(
            **DECODER | LONG, head_dim=8, query_pre_attn_scalar=5, sliding_window=64, layer_types=LOCAL[:2]
        ),
        "bytes", causal=True,
    ),
    "t5": Family(
        lambda: hf.T5Config(vocab_size=VOCABULARY, d_model=32, d_kv=8, d_ff=48, num_layers=2, num_heads=4), "ending"
    ),
}  # fmt: skip
every_family = pytest.mark.parametrize("family", FAMILIES)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    return cache(lambda family: save_tiny(tmp_path_factory.mktemp("long") / family, FAMILIES[family]))


@pytest.fixture(scope="module")
def usual(folder: Callable[[str], Path]) -> Callable[[str], LoadedModel]:
    """A model that reads more than the usual windows, as it is loaded without a word."""
    return cache(lambda family: load(ModelSpec(str(folder(family)))))


def one_window(model: LoadedModel) -> Passage:
    text = " ".join([TEXT] * 40)
    return read_passages(read_document(text), model.tokenizer, model.max_tokens)[0]


@every_family
def test_the_usual_window_stays_and_a_longer_one_is_read_whole(
    family: str, usual: Callable[[str], LoadedModel]
) -> None:
    model = usual(family)
    assert (model.max_tokens, model.spec.window_tokens, str(model.spec)) == (WINDOW, WINDOW, called(model.spec.name))
    long = in_windows_of(model, TOKENS)
    assert long.network is model.network
    assert str(long.spec) == f"{called(model.spec.name)}, windows of 1,500 tokens"
    assert WINDOW < TOKENS / 2 <= len(one_window(long)) <= TOKENS
    assert len(one_window(model)) <= WINDOW


@every_family
@torch.inference_mode()
def test_what_heads_make_of_a_long_window_is_what_the_eager_network_makes_of_it(
    family: str, usual: Callable[[str], LoadedModel], folder: Callable[[str], Path]
) -> None:
    model = in_windows_of(usual(family), TOKENS)
    passage, wanted = one_window(model), [Head(0, 0), Head(1, 3)]
    eager: Any = hf.AutoModel.from_pretrained(folder(family), attn_implementation="eager", dtype=torch.float32).eval()
    eager = eager.get_encoder() if family == "t5" else eager
    ids = torch.from_numpy(passage.token_ids)[None]
    attentions = eager(input_ids=ids, output_attentions=True).attentions
    (output,) = capture.capture(model, [passage])
    assert output.attention is None
    for head in every_head(2, 4):
        received = attentions[head.layer][0, head.head].mean(dim=0)
        torch.testing.assert_close(output.received[head], received, rtol=1e-3, atol=1e-6)
    for head, found in zip(wanted, capture.attention_maps(model, passage, wanted), strict=True):
        torch.testing.assert_close(found, attentions[head.layer][0, head.head], rtol=1e-3, atol=2e-5)


@given(tokens=st.integers(513, 800), family=st.sampled_from(["modernbert", "nomic_bert", "llama"]))
@pytest.mark.long
def test_the_strong_pairs_of_a_long_window_are_those_of_a_brute_force(
    tokens: int, family: str, usual: Callable[[str], LoadedModel]
) -> None:
    model = in_windows_of(usual(family), tokens)
    passage = one_window(model)
    (output,) = capture.capture(model, [passage])
    # Products of such numbers are exact in whatever blocks they are added up.
    z = ((64 * output.z).round() / 64).numpy()
    pairs = attn_core.find_strong_pairs(z, passage)
    first, second = np.triu_indices(len(passage), k=1)
    for head in every_head(2, 4):
        similarity = np.einsum("pd,pd->p", z[head][first], z[head][second])
        strongest = np.argsort(-similarity, kind="stable")[: pairs.shape[2]]  # smaller i, then smaller j, first
        np.testing.assert_array_equal(pairs.first[head], first[strongest])
        np.testing.assert_array_equal(pairs.second[head], second[strongest])


def test_a_long_text_is_one_window_with_every_number(usual: Callable[[str], LoadedModel]) -> None:
    text = " ".join([TEXT] * 20)
    short, long = (attn_core.analyze(text, usual("llama"), window_tokens=tokens) for tokens in (None, TOKENS))
    assert len(short.windows) > 2 and len(long.windows) == 1
    assert (short.provenance["window_tokens"], long.provenance["window_tokens"]) == (WINDOW, TOKENS)
    assert long.provenance["model"].endswith(", windows of 1,500 tokens")
    passage, output = long.reading.passages[0], long.reading.outputs[0]
    first, second = np.triu_indices(len(passage), k=1)
    assert long.heads["chance_mean_distance"].iloc[0] == pytest.approx((second - first).mean(), rel=1e-6)
    pairs = long.windows[0]
    mean = (pairs.second - pairs.first).mean(axis=-1).ravel()
    np.testing.assert_allclose(long.heads["mean_distance"], mean, rtol=1e-6)
    assert long.counted.distance_bins["end"].max() == len(passage) - 1
    assert float(output.received.sum()) == pytest.approx(8, rel=1e-3)  # a head's weights add up to 1


@pytest.mark.parametrize("family", ["modernbert", "llama"])
def test_a_window_longer_than_the_model_reads_is_refused_with_what_it_reads(
    family: str, folder: Callable[[str], Path]
) -> None:
    name = str(folder(family))
    with pytest.raises(ModelError, match=rf"{name} reads windows of at most 4,096 tokens, not 8,192"):
        load(ModelSpec(name, window_tokens=8192))
    assert load(ModelSpec(name, window_tokens=READS)).max_tokens == READS


def test_a_model_that_reads_less_takes_what_it_reads_and_one_of_distances_has_no_end(
    tiny_model: Callable[[str], LoadedModel], usual: Callable[[str], LoadedModel]
) -> None:
    bert = tiny_model("bert")
    assert (bert.max_tokens, bert.longest, bert.spec.window_tokens) == (96, 96, WINDOW)
    assert in_windows_of(bert, 48).max_tokens == 48
    with pytest.raises(ModelError, match="at most 96 tokens, not 128"):
        in_windows_of(bert, 128)
    assert usual("t5").longest == windows.ENDLESS


@pytest.mark.parametrize("wrong", [15, 0, -512, True, "long", 512.0])
def test_what_is_no_number_of_tokens_is_refused(wrong: Any, usual: Callable[[str], LoadedModel]) -> None:
    for ask in (
        lambda: ModelSpec(window_tokens=wrong),
        lambda: attn_core.analyze(TEXT, usual("llama"), window_tokens=wrong),
    ):
        with pytest.raises(InputError, match="The number of tokens of a window is a whole number from 16 on"):
            ask()


def test_a_window_that_would_not_fit_is_refused_and_a_shorter_one_is_read(
    usual: Callable[[str], LoadedModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: 1e9)
    with pytest.raises(
        ModelError, match=r"A window of 8,192 tokens .* GB of memory, and 1.0 GB are free: read shorter"
    ):
        in_windows_of(usual("t5"), 8192)
    assert in_windows_of(usual("t5"), 2048).max_tokens == 2048


def test_windows_that_would_not_fit_together_are_refused_and_one_of_them_is_read(
    usual: Callable[[str], LoadedModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    model, long = usual("modernbert"), " ".join([TEXT] * 60)
    monkeypatch.setattr(memory, "available_memory", lambda: 1e6)
    with pytest.raises(ModelError, match=r"^All \d+ windows of this text, .* or one window of a text\.$"):
        attn_core.analyze(long, model)
    assert len(attn_core.analyze(long, model, window=2).windows) == 1


def test_a_removal_is_the_same_in_windows_of_any_length(usual: Callable[[str], LoadedModel]) -> None:
    model, texts = usual("modernbert"), [" ".join([TEXT] * 14)]
    long = in_windows_of(model, TOKENS)
    torch.testing.assert_close(mean_outputs(long), mean_outputs(model))
    changed = ablate(long, ["L1H2"])
    assert (changed.max_tokens, changed.spec.window_tokens) == (TOKENS, TOKENS)
    found = attn_core.analyze(texts[0], ablate(model, ["L1H2"]), window_tokens=TOKENS)
    assert len(found.windows) == 1
    assert found.reading.model.spec == changed.spec
    (expected,) = capture.capture(changed, [found.reading.passages[0]])
    torch.testing.assert_close(found.reading.outputs[0].z, expected.z)
