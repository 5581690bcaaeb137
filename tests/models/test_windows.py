"""Windows longer than usual, and the memory that they take."""

import pytest
import torch

import attn_core
from attn_core.errors import InputError, ModelError
from attn_core.io.paths import display_name
from attn_core.models import windows
from attn_core.models.ablation import mean_outputs
from attn_core.models.capture import capture
from attn_core.models.files import WINDOW
from attn_core.models.loading import ablate
from attn_core.models.windows import with_window_tokens
from attn_core.texts.documents import read_document
from attn_core.texts.passages import read_passages
from tests.families import READS_LONG, TEXT, Tiny

TOKENS = 1500


@pytest.mark.parametrize("family", READS_LONG)
def test_the_usual_window_stays_and_a_longer_one_is_read_whole(family: str, long_model: Tiny) -> None:
    model = long_model(family)
    assert (model.max_tokens, model.spec.window_tokens, str(model.spec)) == (
        WINDOW,
        WINDOW,
        display_name(model.spec.name),
    )
    long = with_window_tokens(model, TOKENS)
    assert long.network is model.network
    assert str(long.spec) == f"{display_name(model.spec.name)}, windows of 1,500 tokens"
    document = read_document(" ".join([TEXT] * 40))
    usual, whole = (read_passages(document, model.tokenizer, one.max_tokens)[0] for one in (model, long))
    assert len(usual) <= WINDOW < TOKENS / 2 <= len(whole) <= TOKENS


def test_a_model_takes_what_it_reads_and_one_of_distances_has_no_end(tiny_model: Tiny, long_model: Tiny) -> None:
    bert, llama = tiny_model("bert"), long_model("llama")
    assert (bert.max_tokens, bert.longest, bert.spec.window_tokens) == (96, 96, WINDOW)
    assert with_window_tokens(bert, 48).max_tokens == 48 and with_window_tokens(llama, 4096).max_tokens == 4096
    for model, reads, wanted in ((bert, "96", 128), (llama, "4,096", 8192)):
        with pytest.raises(ModelError, match=f"reads at most {reads} tokens at once, not {wanted:,}"):
            with_window_tokens(model, wanted)
    for wrong in (15, 0, -512, True, "long", 512.0):
        with pytest.raises(InputError, match="The number of tokens of a window is a whole number from 16 on"):
            attn_core.analyze(TEXT, llama, window_tokens=wrong)
    assert long_model("t5").longest == windows.ENDLESS


def test_what_would_not_fit_into_memory_is_refused(long_model: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(windows, "available_memory", lambda: 1e9)
    with pytest.raises(ModelError, match=r"A window of 8,192 tokens .* GB of memory, 1.0 GB are free: read shorter"):
        with_window_tokens(long_model("t5"), 8192)
    assert with_window_tokens(long_model("t5"), 2048).max_tokens == 2048
    monkeypatch.setattr(windows, "available_memory", lambda: 1e6)
    model, long = long_model("modernbert"), " ".join([TEXT] * 60)
    with pytest.raises(ModelError, match=r"^All \d+ windows of this text, .* or one window of a text\.$"):
        attn_core.analyze(long, model)
    assert len(attn_core.analyze(long, model, window=2).windows) == 1


def test_a_removal_is_the_same_in_windows_of_any_length(long_model: Tiny) -> None:
    model = long_model("modernbert")
    long = with_window_tokens(model, TOKENS)
    torch.testing.assert_close(mean_outputs(long), mean_outputs(model))
    changed = ablate(long, ["L1H2"])
    found = attn_core.analyze(" ".join([TEXT] * 14), ablate(model, ["L1H2"]), window_tokens=TOKENS)
    assert found.reading.model.spec == changed.spec
    (expected,) = capture(changed, found.reading.passages)
    torch.testing.assert_close(found.reading.outputs[0].z, expected.z)
