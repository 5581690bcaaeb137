"""The check of a loaded model: each test gives it a route to the heads that is wrong in one way."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from transformers import AttentionInterface, AutoModel
from transformers.masking_utils import AttentionMaskInterface, sdpa_mask

from attn_core.errors import ModelError
from attn_core.models import attention, families
from attn_core.models.files import ModelSpec
from attn_core.models.loading import load
from attn_core.models.records import LoadedModel
from attn_core.models.self_check import check_model
from tests.families import UNREADABLE, Folder, Tiny, save_tiny


@pytest.fixture
def bare(tiny_model: Tiny, tiny_folder: Folder) -> LoadedModel:
    """A tiny BERT whose network does not hand over its heads yet."""
    network = AutoModel.from_pretrained(tiny_folder("bert"), dtype=torch.float32).eval()
    return replace(tiny_model("bert"), network=network, check=None)


def modules(network: nn.Module, ending: str) -> list[nn.Module]:
    return [module for name, module in network.named_modules() if name.endswith(ending)]


def use(model: LoadedModel, name: str) -> None:
    network: Any = model.network
    network.set_attn_implementation(name)


def test_head_outputs_that_are_not_what_the_projection_gets_are_refused(bare: LoadedModel) -> None:
    def swapping(*arguments: Any, **options: Any) -> tuple[Tensor, None]:
        z, _ = attention._attention(*arguments, **options)
        now = attention._now.get()
        assert now is not None and now.collection is not None
        now.collection.z[-1] = z.flip(2)  # the heads in the wrong order
        return z, None

    AttentionInterface.register("test_swapping", swapping)
    AttentionMaskInterface.register("test_swapping", sdpa_mask)
    with pytest.raises(ModelError, match="do not add up to its attention output"):
        check_model(bare, lambda: use(bare, "test_swapping"))


def test_a_capture_that_changes_what_the_model_computes_is_refused(bare: LoadedModel) -> None:
    def also_shift() -> None:
        use(bare, attention.INTERFACE)
        with torch.no_grad():
            modules(bare.network, "attention.self.value")[0].bias += 1  # type: ignore[operator]

    with pytest.raises(ModelError, match="capturing its heads changes what it computes"):
        check_model(bare, also_shift)


@pytest.mark.parametrize(
    ("wrong", "captures", "says"),
    [
        ({}, False, "does not compute attention through the interface"),
        ({"layers": 2}, True, "computes attention 3 times in its 2 layers"),
        ({"layers": 4}, True, "read in only 3 of its 4 layers"),
        ({"heads": 8}, True, "differ in the shape of their heads"),
    ],
)
def test_what_is_captured_is_what_the_model_has(
    bare: LoadedModel, wrong: dict[str, Any], captures: bool, says: str
) -> None:
    with pytest.raises(ModelError, match=says):
        check_model(replace(bare, **wrong), lambda: use(bare, attention.INTERFACE) if captures else None)


@pytest.mark.parametrize("family", UNREADABLE)
def test_a_record_does_not_make_attention_readable(
    family: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny, output, values, reason = UNREADABLE[family]
    monkeypatch.setitem(families.FAMILIES, family, families.Family(output, values))
    with pytest.raises(ModelError, match=reason) as refused:
        load(ModelSpec(str(save_tiny(tmp_path / family, tiny))))
    said = str(refused.value)
    assert said.startswith(f"{tmp_path / family} cannot be read: ") and said.endswith(".") and "\n" not in said
