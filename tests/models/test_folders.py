"""What may lie in a model's folder: links of the cache, weights of the base model, no adapter."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from attn_core.models.capture import capture
from attn_core.models.files import ModelSpec
from attn_core.models.loading import load
from attn_core.models.records import LoadedModel
from attn_core.texts.passages import Passage
from tests.families import Tiny
from tests.models.test_loading import COMMIT, WEIGHTS, cached, config_of, refusal, rewrite, same_outputs


def test_a_snapshot_of_the_cache_is_made_of_links(hub_cache: Path, tiny_bert_folder: Path) -> None:
    snapshot = cached(hub_cache, "some-one/tiny", tiny_bert_folder)
    blobs = snapshot.parents[1] / "blobs"
    blobs.mkdir()
    for file in list(snapshot.iterdir()):
        file.rename(blobs / f"blob-{file.name}")
        file.symlink_to(Path("../../blobs") / f"blob-{file.name}")
    assert load(ModelSpec("some-one/tiny")).revision == COMMIT


def test_an_adapter_is_never_left_out_in_silence(tiny_bert_folder: Path) -> None:
    (tiny_bert_folder / "adapter_config.json").write_text('{"peft_type": "LORA"}')
    assert "holds an adapter (adapter_config.json), which is not read here: merge it" in refusal(tiny_bert_folder)
    (tiny_bert_folder / WEIGHTS).unlink()
    assert "holds an adapter" in refusal(tiny_bert_folder)


@pytest.mark.parametrize("own", ["fc", "lstm", "mlp.dense", "crf", "Linear"])
def test_weights_around_the_base_model_are_left_alone(
    own: str, tiny_bert_folder: Path, tiny_model: Tiny, read: Callable[[LoadedModel, str], Passage]
) -> None:
    tensors = {f"bert.{name}": tensor for name, tensor in load_file(tiny_bert_folder / WEIGHTS).items()}
    save_file(tensors | {f"{own}.weight": torch.ones(2, 32)}, tiny_bert_folder / WEIGHTS, {"format": "pt"})
    same_outputs(tiny_bert_folder, tiny_model("bert"), read)
    config_of(tiny_bert_folder, num_hidden_layers=2)
    assert "0 missing, 0 of another shape, 16 without a place" in refusal(tiny_bert_folder)


@pytest.mark.parametrize("prefix", ["module.", "_orig_mod.", "bert.bert.", "net.model."])
def test_names_that_begin_otherwise_are_refused(prefix: str, tiny_bert_folder: Path) -> None:
    rewrite(tiny_bert_folder, lambda name, tensor: (prefix + name, tensor))
    assert "the names of weights that it was saved with" in refusal(tiny_bert_folder)


ASKED: list[dict[str, Any]] = [
    {"return_dict": False}, {"output_attentions": True}, {"output_hidden_states": True},
    {"_attn_implementation": "flash_attention_2"}, {"attn_implementation": "flash_attention_2"},
    {"transformers_weights": "other.safetensors"},
]  # fmt: skip


@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_no_way_of_running_that_a_config_asks_for_changes_a_number(
    asked: dict[str, Any], tiny_bert_folder: Path, tiny_model: Tiny, read: Callable[[LoadedModel, str], Passage]
) -> None:
    config_of(tiny_bert_folder, **asked)
    passage = read(tiny_model("bert"), "The tide rose and covered the old pier.")
    again, own = (capture(one, [passage])[0].z for one in (load(ModelSpec(str(tiny_bert_folder))), tiny_model("bert")))
    assert torch.equal(again, own)
