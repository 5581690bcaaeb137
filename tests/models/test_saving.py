"""Models saved without heads and loaded by plain transformers, compared with the ablated model."""

import json
import shutil
from dataclasses import replace as with_fields
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers as hf
from safetensors.torch import load_file, save_file

from attn_core.errors import InputError, ModelError
from attn_core.models.ablation import ablated
from attn_core.models.capture import last_states
from attn_core.models.files import WEIGHTS, ModelSpec
from attn_core.models.loading import load
from attn_core.models.records import LoadedModel
from attn_core.models.removal import Removal, Replace, named_heads
from attn_core.models.saving import save_without
from tests.families import IN_SHORT as TEXT
from tests.families import SERVED, Read, Tiny, save_tiny, save_whole

HEADS = ["L1H2", "L2", "L3H1", "L3H4"]


def by_name(model: LoadedModel, names: list[str], replace: Replace) -> Removal:
    return Removal(named_heads(names, model.layers, model.heads), replace)


@pytest.mark.parametrize(
    ("family", "replace"),
    [
        ("bert", "mean"), ("bert", "zero"), ("gpt2", "mean"), ("gpt2", "zero"), ("mpnet", "mean"), ("mpnet", "zero"),
        ("llama", "zero"), ("gemma2", "zero"), ("t5", "zero"), ("deberta-v2", "mean"), ("bart", "mean"),
        ("albert", "zero"),
    ],
)  # fmt: skip
def test_plain_transformers_gives_what_the_removal_gives(
    family: str, replace: Replace, tiny_model: Tiny, read: Read, tmp_path: Path
) -> None:
    model = tiny_model(family)
    passage = read(model, TEXT)
    removal = by_name(model, ["H2"] if family == "albert" else HEADS, replace)  # its layers share their weights
    before = last_states(model, [passage])[0]
    expected = last_states(ablated(model, removal), [passage])[0]
    save_without(model, removal, tmp_path / "saved", "# A card")
    plain: Any = hf.AutoModel.from_pretrained(tmp_path / "saved", attn_implementation="eager").eval()
    reads = plain.encoder if family in ("t5", "bart") else plain
    with torch.inference_mode():
        found = reads(input_ids=torch.from_numpy(passage.token_ids)[None]).last_hidden_state[0]
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-5 * float(expected.abs().max()))
    assert float((before - expected).abs().max()) > 0.01
    assert torch.equal(last_states(model, [passage])[0], before), "the loaded model stays as it is"
    assert {path.suffix for path in (tmp_path / "saved").iterdir()} == {".md", ".safetensors", ".json"}
    assert (tmp_path / "saved" / "README.md").read_text() == "# A card"


def test_the_language_model_head_is_saved_too(tmp_path: Path, read: Read) -> None:
    model = load(ModelSpec(str(save_whole(tmp_path / "whole", SERVED["gpt2"]))))
    save_without(model, by_name(model, HEADS, "mean"), tmp_path / "saved", "")
    ids = torch.from_numpy(read(model, TEXT).token_ids)[None]
    whole, saved = (hf.AutoModelForCausalLM.from_pretrained(tmp_path / name).eval() for name in ("whole", "saved"))
    assert torch.equal(whole.lm_head.weight, saved.lm_head.weight)
    with torch.inference_mode():
        assert not torch.allclose(whole(ids).logits, saved(ids).logits, atol=0.01)


def test_an_own_head_and_the_pooling_of_a_folder_are_kept_and_what_is_left_out_is_said(tmp_path: Path) -> None:
    folder = save_tiny(tmp_path / "own", SERVED["bert"])
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text("{}")
    (folder / "model.onnx").write_text("whole")
    parts = {"": "models.Transformer", "1_Pooling": "models.Pooling", "2_Normalize": "models.Normalize"}
    (folder / "modules.json").write_text(json.dumps([{"path": path, "type": parts[path]} for path in parts]))
    own = {f"bert.{name}": tensor for name, tensor in load_file(folder / WEIGHTS).items()}
    save_file(own | {"fc.weight": torch.ones(2, 32)}, folder / WEIGHTS, {"format": "pt"})
    model = load(ModelSpec(str(folder)))
    said = save_without(model, by_name(model, ["L1H2"], "zero"), tmp_path / "saved", "")
    saved = load_file(tmp_path / "saved" / WEIGHTS)
    changed = "bert.encoder.layer.0.attention.output.dense.weight"
    assert {
        name
        for name, tensor in saved.items()
        if not torch.equal(tensor, (own | {"fc.weight": torch.ones(2, 32)})[name])
    } == {changed}
    assert (saved[changed][:, 8:16] == 0).all() and "fc.weight" in saved
    assert (tmp_path / "saved" / "1_Pooling" / "config.json").is_file() and "modules.json" in said
    assert said.endswith("; left out: model.onnx")
    shutil.rmtree(folder / "1_Pooling")
    assert (
        "modules.json"
        in save_without(model, by_name(model, ["L1"], "zero"), tmp_path / "bare", "").split("left out")[1]
    )
    own[changed] = own[changed].T.contiguous()
    save_file(own, folder / WEIGHTS, {"format": "pt"})
    with pytest.raises(ModelError, match="hold output projections in another form"):
        save_without(model, by_name(model, ["L1"], "zero"), tmp_path / "other", "")


@pytest.mark.parametrize(
    ("family", "names", "replace", "spec", "says"),
    [
        ("albert", ["L1H2"], "zero", {}, r"from all passes \(H2\)"),
        ("albert", ["H2"], "mean", {}, "and take zero"),
        ("llama", ["L1H1"], "mean", {}, "have no bias to take over a mean"),
        ("bert", ["L1H1"], "even", {}, "with mean or zero in place of"),
        ("bert", ["L1H1"], "resample", {}, "with mean or zero in place of"),
        ("bert", ["L1H1"], "zero", {"copy": ("untrained", 0)}, "Only a trained model"),
        ("bart", ["L1H1"], "zero", {"stack": "cross"}, "or its encoder, is saved"),
    ],
)
def test_what_weights_cannot_say_is_refused(
    family: str, names: list[str], replace: Replace, spec: dict[str, Any], says: str, tiny_model: Tiny, tmp_path: Path
) -> None:
    model = tiny_model(family)
    model = with_fields(model, spec=with_fields(model.spec, **spec))
    with pytest.raises(InputError, match=says):
        save_without(model, by_name(model, names, replace), tmp_path / "saved", "")
    assert not (tmp_path / "saved").exists()


def test_what_is_cut_off_leaves_nothing(tiny_model: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = tiny_model("bert")
    (tmp_path / "saved").mkdir()

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copyfile", full)
    with pytest.raises(InputError, match="cannot be written to .*No space left"):
        save_without(model, by_name(model, ["L1"], "zero"), tmp_path / "saved", "")
    assert [path.name for path in tmp_path.rglob("*")] == ["saved"]
    (tmp_path / "saved" / "own.txt").write_text("mine")
    with pytest.raises(InputError, match="no new or empty folder"):
        save_without(model, by_name(model, ["L1"], "zero"), tmp_path / "saved", "")
