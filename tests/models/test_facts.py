"""What is known of a model without loading it, and models whose files would grow without bound."""

import json
import resource
from pathlib import Path
from typing import Any

import pytest
from safetensors.torch import load_file

from attn_core.errors import ModelError
from attn_core.models import windows
from attn_core.models.facts import facts_of
from attn_core.models.files import STACKS, WINDOW, ModelSpec
from attn_core.models.loading import load
from tests.families import SERVED, Folder, Tiny, of_families

GB = 1 << 30


@of_families(SERVED)
def test_facts_are_those_of_the_loaded_model(family: str, tiny_folder: Folder, tiny_model: Tiny) -> None:
    folder = tiny_folder(family)
    facts = facts_of(ModelSpec(str(folder), copy=("untrained", 1)))
    assert facts.folder == folder
    assert facts.stacks == (STACKS if SERVED[family].config().is_encoder_decoder else STACKS[:1])
    assert min(facts.longest, WINDOW) == tiny_model(family).max_tokens == SERVED[family].window
    sizes = [tensor.numel() for tensor in load_file(folder / "model.safetensors").values()]
    assert sorted(facts.weights[folder / "model.safetensors"]) == sorted(sizes) and facts.bytes == 4 * sum(sizes)


def test_facts_are_read_once_until_a_file_is_written(tiny_bert_folder: Path) -> None:
    spec = ModelSpec(str(tiny_bert_folder))
    before = facts_of(spec)
    assert before.longest == 96 and facts_of(ModelSpec(spec.name, window_tokens=64)) is before
    config = json.loads((tiny_bert_folder / "config.json").read_text())
    (tiny_bert_folder / "config.json").write_text(json.dumps(config | {"max_position_embeddings": 64}))
    assert facts_of(spec).longest == 64


# Sizes are checked before anything is built


SWELLING: dict[str, tuple[dict[str, Any], str]] = {
    "endless layers": ({"num_hidden_layers": 10**9}, "says 1,000,000,000 for num_hidden_layers: at most 10,000"),
    "layers as a number with a point": ({"num_hidden_layers": 1e9}, "for num_hidden_layers: at most 10,000"),
    "layers of a part": ({"text_config": {"n_layer": 10**9}}, "says 1,000,000,000 for n_layer"),
    "many layers": ({"num_hidden_layers": 9_999}, "a far larger model than its weights"),
    "many thin layers": ({"num_hidden_layers": 9_999, "hidden_size": 4, "intermediate_size": 1}, "a far larger model"),
    "labels": ({"num_labels": 10**9}, "says 1,000,000,000 for num_labels"),
    "vocabulary": ({"vocab_size": 5 * 10**7}, "a far larger model than its weights"),
    "width": ({"hidden_size": 4 * 10**6}, "a far larger model than its weights"),
    "positions": ({"max_position_embeddings": 10**9}, "a far larger model than its weights"),
    "infinite": ({"layer_norm_eps": float("inf")}, "says inf for layer_norm_eps: put back the number"),
    "infinite in a part": ({"rope_parameters": {"rope_theta": float("nan")}}, "says nan for rope_theta"),
}


@pytest.mark.parametrize("copy", [None, ("untrained", 0)])
@pytest.mark.parametrize("case", SWELLING)
def test_a_config_of_another_size_is_refused_before_it_takes_memory(
    case: str, copy: Any, tiny_bert_folder: Path
) -> None:
    changes, says = SWELLING[case]
    config = json.loads((tiny_bert_folder / "config.json").read_text())
    (tiny_bert_folder / "config.json").write_text(json.dumps(config | changes))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    with pytest.raises(ModelError, match=says) as caught:
        load(ModelSpec(str(tiny_bert_folder), copy=copy))
    assert str(tiny_bert_folder) in str(caught.value) and len(str(caught.value)) < 500
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before < GB / 4


def test_a_layer_that_is_used_many_times_is_no_larger_model(tiny_folder: Folder, tmp_path: Path) -> None:
    """ALBERT's layers share their weights, so that the file of weights does not tell their number."""
    config = json.loads((tiny_folder("albert") / "config.json").read_text())
    for file in tiny_folder("albert").iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "config.json").write_text(json.dumps(config | {"num_hidden_layers": 40}))
    assert load(ModelSpec(str(tmp_path))).layers == 40


def test_an_untrained_copy_that_would_not_fit_into_memory_is_refused(
    tiny_bert_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(windows, "available_memory", lambda: 1e3)
    with pytest.raises(ModelError, match=r"^The untrained copy of .* GB of memory.* take a smaller model\.$"):
        load(ModelSpec(str(tiny_bert_folder), copy=("untrained", 0)))
