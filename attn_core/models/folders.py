"""Why a model's folder without weights of its own, or with an adapter, is not read."""

from pathlib import Path

from attn_core.errors import ModelError

WEIGHTS = "model.safetensors"
INDEX = "model.safetensors.index.json"
ADAPTER = "adapter_config.json"


def check_no_adapter(name: str, folder: Path) -> None:
    """Refuse an adapter, alone or beside its model: the numbers would silently be those of the model without it."""
    if (folder / ADAPTER).exists():
        raise ModelError(
            f"{name} holds an adapter ({ADAPTER}), which is not read here: merge it into its model with peft's merge_and_unload "
            "and save that, or take the adapter's files out to read the model without it."
        )


def without_weights(name: str, folder: Path) -> ModelError:
    """What to say of a folder that holds no weights itself."""
    if any(any(folder.glob(f"*.{ending}")) for ending in ("bin", "pt", "pth")):
        return ModelError(f"{name} holds its weights as pickle only, which can run code: convert them to safetensors.")
    return ModelError(f"{name} holds no weights: a model folder has config.json, {WEIGHTS} and its tokenizer's files.")
