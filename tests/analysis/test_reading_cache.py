"""A text that was seen before: the same numbers without torch and without the model, and never those of something else."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from attn_core.__main__ import main
from attn_core.analysis import reading_cache
from attn_core.analysis.one_text import TABLES, Analysis, analyze_reading
from attn_core.analysis.reading import read
from attn_core.head import Head
from attn_core.io import disk_cache
from attn_core.models.files import ModelSpec, as_it_lies, default_spec
from attn_core.models.head_outputs import as_array
from attn_core.models.loading import load
from attn_core.models.memory import HeldModels
from attn_core.models.records import LoadedModel
from attn_core.similarity.strong_pairs import Settings
from attn_core.texts.documents import read_document, samples
from attn_core.texts.passages import read_passages

TEXT = "The tide rose. It covered the “old” pier, and 東京 rose with it. " * 12
ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(disk_cache.VARIABLE, str(tmp_path / "kept"))
    return tmp_path / "kept" / "readings"


def keep(model: LoadedModel, window: int | None = 0, settings: Settings = Settings()) -> Analysis:
    document = read_document(TEXT)
    analysis = analyze_reading(read(model, document, window=None if window is None else window + 1), settings)
    reading_cache.keep_reading(analysis.reading, "en", window)
    reading_cache.keep_analysis(analysis, "en", window)
    reading_cache.keep_passages(
        model, document, "en", "plain", read_passages(document, model.tokenizer, model.max_tokens)
    )
    return analysis


def find(spec: ModelSpec, window: int | None = 0, settings: Settings = Settings(), text: str = TEXT) -> Analysis | None:
    def never() -> LoadedModel:
        raise AssertionError("the model was asked for")

    reading = reading_cache.find_reading(spec, read_document(text), "en", "plain", window, never)
    return reading and reading_cache.find_analysis(reading, "en", window, settings)


def test_a_map_that_was_looked_at_is_found_again_and_no_other(tiny_model: Callable[[str], LoadedModel]) -> None:
    reading = read(tiny_model("bert"), read_document(TEXT), window=1, keep_maps=True)
    attention = reading.outputs[0].attention
    assert attention is not None
    seen = as_array(attention[Head(1, 2)])
    reading_cache.keep_map(reading, "en", 0, "tokens", Head(1, 2), seen)
    np.testing.assert_array_equal(reading_cache.find_map(reading, "en", 0, "tokens", Head(1, 2)), seen)
    assert reading_cache.find_map(reading, "en", 0, "tokens", Head(1, 1)) is None
    assert reading_cache.find_map(reading, "en", 0, "words", Head(1, 2)) is None


def write_weights_anew(folder: Path) -> None:
    """As a training that goes on would, or a download of others."""
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes())


@pytest.mark.parametrize("window", [0, None])
def test_every_table_of_what_was_seen_is_the_same_to_the_bit(tiny_model, window: int | None) -> None:
    model = tiny_model("bert")
    before, again = keep(model, window), find(model.spec, window)
    assert again is not None
    assert len(again.reading.passages) == len(before.reading.passages)
    for name in reading_cache.KEPT_TABLES:
        pd.testing.assert_frame_equal(getattr(again, name), getattr(before, name), check_exact=True)
    assert "_counting" not in vars(again), "what a first page shows is not counted again"
    for name in TABLES:
        if name != "segments":  # which the model itself reads
            pd.testing.assert_frame_equal(getattr(again, name), getattr(before, name), check_exact=True)
    np.testing.assert_array_equal(as_array(again.reading.outputs[0].z), as_array(before.reading.outputs[0].z))
    assert again.provenance == before.provenance
    assert str(again.reading.model.check) == str(model.check)


def test_all_windows_are_known_again(tiny_model) -> None:
    model = tiny_model("bert")
    keep(model)
    document = read_document(TEXT)
    again = reading_cache.find_passages(model.spec, document, "en", "plain")
    expected = read_passages(document, model.tokenizer, model.max_tokens)
    assert again is not None and len(again) == len(expected) > 1
    for one, other in zip(again, expected, strict=True):
        assert (one.index, one.tokens) == (other.index, other.tokens)
        assert [one.word(i) for i in range(len(one))] == [other.word(i) for i in range(len(other))]


def test_nothing_is_known_of_another_text_window_setting_or_weights(tiny_bert_folder: Path) -> None:
    own = load(ModelSpec(str(tiny_bert_folder)))
    keep(own)
    assert find(own.spec) is not None
    assert find(own.spec, window=1) is None
    assert find(own.spec, settings=Settings(share=0.02)) is None
    assert find(own.spec, settings=Settings(measure="cosine")) is None
    assert find(own.spec, text=TEXT + "!") is None
    write_weights_anew(tiny_bert_folder)
    assert find(own.spec) is None


def replace_weights_unseen(folder: Path) -> None:
    """Others of the same size, their time set back, as `cp -p` does."""
    weights = folder / "model.safetensors"
    state, bytes_ = weights.stat(), weights.read_bytes()
    begin = 8 + int.from_bytes(bytes_[:8], "little")
    others = np.random.default_rng(0).permutation(np.frombuffer(bytes_[begin:], np.float32))
    weights.write_bytes(bytes_[:begin] + others.tobytes())
    os.utime(weights, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert (weights.stat().st_size, weights.stat().st_mtime_ns) == (state.st_size, state.st_mtime_ns)


def test_weights_of_the_same_size_and_time_are_others(tiny_bert_folder: Path) -> None:
    spec = ModelSpec(str(tiny_bert_folder))
    held = HeldModels(load, float("inf"))
    before = held.get(spec)
    keep(before)
    assert held.get(spec) is before
    replace_weights_unseen(tiny_bert_folder)
    assert find(spec) is None
    assert reading_cache.find_passages(spec, read_document(TEXT), "en", "plain") is None
    assert held.get(spec).revision != before.revision


def test_what_was_read_before_the_files_changed_is_not_kept_as_theirs(tiny_bert_folder: Path) -> None:
    before = load(ModelSpec(str(tiny_bert_folder)))
    write_weights_anew(tiny_bert_folder)
    keep(before)
    assert reading_cache.find_passages(before.spec, read_document(TEXT), "en", "plain") is None
    assert find(before.spec) is None
    reading_cache.keep_reading(read(load(before.spec), read_document(TEXT), window=1), "en", 0)
    assert find(before.spec) is None  # nor the strong pairs, by themselves


def test_a_damaged_entry_is_read_anew(tiny_model, place: Path) -> None:
    model = tiny_model("bert")
    keep(model)
    for file in place.glob("*"):
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 16
        file.write_bytes(data)
    assert find(model.spec) is None
    assert reading_cache.find_passages(model.spec, read_document(TEXT), "en", "plain") is None


def test_what_was_seen_needs_nothing_that_takes_long_to_import(tiny_model) -> None:
    model = tiny_model("bert")
    before = keep(model)
    script = f"""
import json, sys
from attn_core.analysis import reading_cache as seen
from attn_core.models.files import ModelSpec, default_spec
from attn_core.similarity.context_similarity import context_similarity
from attn_core.similarity.strong_pairs import Settings
from attn_core.texts.documents import read_document, samples
default_spec()
reading = seen.find_reading(ModelSpec({model.spec.name!r}), read_document({TEXT!r}), "en", "plain", 0, None)
analysis = seen.find_analysis(reading, "en", 0, Settings())
print(json.dumps(analysis.statistics["mean_distance"].tolist()))
assert len(context_similarity(reading.outputs[0].z[0, 0])) == len(reading.passages[0])
slow = {{"torch", "transformers", "scipy", "sklearn", "huggingface_hub.hf_api"}} & sys.modules.keys()
assert not slow, slow
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == before.statistics["mean_distance"].tolist()


@pytest.mark.model
@pytest.mark.long
def test_what_is_read_ahead_is_what_the_dashboard_opens_with() -> None:
    """Home asks for it as it asks for any text: by the sidebar's usual choices."""
    sample = samples()[0]
    assert main(["cache", "--first"]) == 0
    document = read_document(sample.text, sample.language)
    spec = as_it_lies(default_spec())
    assert reading_cache.find_passages(spec, document, sample.language, "plain") is not None
    reading = reading_cache.find_reading(spec, document, sample.language, "plain", 0, load)
    assert reading is not None
    assert reading_cache.find_analysis(reading, sample.language, 0, Settings()) is not None
