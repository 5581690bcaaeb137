"""What a model's folder must be before a file in it is opened, and why one without weights cannot be read."""

from pathlib import Path

from attn_core.errors import ModelError, in_one_sentence

WEIGHTS = "model.safetensors"
INDEX = "model.safetensors.index.json"
ADAPTER = "adapter_config.json"
TEMPLATES = "additional_chat_templates"  # a folder inside that transformers looks into


def check_files(name: str, folder: Path) -> None:
    """Refuse pipes, devices and sockets, at which a reader waits for ever, and links that lead out of the folder.

    A snapshot of the Hugging Face cache is made of links to the blobs beside it.
    """
    home = folder.parents[1] if folder.parent.name == "snapshots" else folder
    with in_one_sentence(ModelError, f"The folder of {name} cannot be read"):
        for file in [*folder.iterdir(), *(folder / TEMPLATES).glob("*")]:
            if file.is_dir() or not file.exists():
                continue
            if not file.is_file():
                raise ModelError(
                    f"{name} cannot be loaded: {file.name} is no regular file but a pipe or a device: take it out."
                )
            if file.is_symlink() and not file.resolve().is_relative_to(home.resolve()):
                raise ModelError(
                    f"{name} cannot be loaded: {file.name} is a link that leads out of its folder: put the file itself there."
                )


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
