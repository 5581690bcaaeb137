"""A model without some of its heads, saved as files that transformers loads without this package.

A head acts on the rest of the network only through its slice of the layer's output projection. The slice becomes 0,
and the projected mean of the head is added to the bias. The shapes stay, so that the network does not get faster. All
other weights stay too, those of heads that transformers does not know among them, and the files beside them.
"""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from safetensors import safe_open

from attn_core.errors import InputError, ModelError, in_one_sentence
from attn_core.head import Head
from attn_core.io.paths import printable
from attn_core.models.ablation import replacements
from attn_core.models.facts import ModelFacts, facts_of
from attn_core.models.families import out_first
from attn_core.models.files import FILES, OF_TOKENIZER
from attn_core.models.records import LoadedModel
from attn_core.models.removal import Removal
from attn_core.tensors import Tensor, load_file, save_file, torch

MODULES = "modules.json"  # of sentence-transformers: which folders have pooling and further modules
Names = dict[tuple[int, str], list[str]]  # (layer, "weight" or "bias") -> names of the tensors in the files


def check_saving(model: LoadedModel, removal: Removal, folder: Path) -> Names:
    """The names of the tensors to change. Raises InputError or ModelError if `save_without` cannot write the model."""
    spec, heads, mean = model.spec, removal.heads, removal.replace == "mean"
    if os.path.lexists(folder) and not (folder.is_dir() and not any(folder.iterdir())):
        raise InputError(f"{printable(folder)} is no new or empty folder: name one to save the model in.")
    if spec.copy is not None or spec.stack != "encoder" or removal.replace not in ("mean", "zero"):
        raise InputError("Only a trained model, or its encoder, is saved, with mean or zero in place of its heads.")
    names = model.check.projections
    in_all_passes = {Head(layer, head.head) for head in heads for layer in range(model.layers)}
    if len(set(names)) < len(names) and (mean or set(heads) != in_all_passes):
        raise ModelError(f"The layers of {spec.name} share weights: remove a head from all passes (H2), and take zero.")
    if mean and any(getattr(_projection(model, head.layer), "bias", None) is None for head in heads):
        raise ModelError(f"The output projections of {spec.name} have no bias to take over a mean: take zero.")
    stored: Names = {(head.layer, kind): [] for head in heads for kind in ("weight", "bias")[: 1 + mean]}
    for file in facts_of(spec).weights:
        with safe_open(file, framework="pt") as opened:
            of_file = opened.keys()
            for (layer, kind), found in stored.items():
                value = getattr(_projection(model, layer), kind).cpu()
                same = [name for name in of_file if f".{name}".endswith(f".{names[layer]}.{kind}")]
                # An encoder and a decoder may have projections of one name.
                found += [name for name in same if torch.equal(opened.get_tensor(name).float(), value)]
    if not all(stored.values()):
        raise ModelError(
            f"{spec.name} cannot be saved without heads: its files hold output projections in another form; save it "
            "by save_pretrained of transformers first, and name that folder."
        )
    return stored


def save_without(model: LoadedModel, removal: Removal, folder: Path, card: str) -> str:
    """Write the model without some heads, and a card, into a new or empty folder, or write nothing.

    Returns which files were saved, and which of the model's folder were left out, as text.
    """
    stored = check_saving(model, removal, folder)
    facts, target = facts_of(model.spec), folder.resolve()
    beside = dict(_beside(facts))
    target.mkdir(parents=True, exist_ok=True)
    with (
        in_one_sentence(InputError, f"The model cannot be written to {printable(folder)}"),
        TemporaryDirectory(dir=target.parent) as place,
    ):
        (made := Path(place) / "made").mkdir()
        for name, file in beside.items():
            (made / name).parent.mkdir(exist_ok=True)
            shutil.copyfile(file, made / name)
        (made / "README.md").write_text(card, encoding="utf-8")
        for file in facts.weights:
            tensors = load_file(file)
            for (layer, kind), names in stored.items():
                for name in tensors.keys() & names:
                    _remove(model, removal, layer, kind, tensors[name])
            with safe_open(file, framework="pt") as opened:
                save_file(tensors, made / file.name, opened.metadata())
            (made / file.name).chmod((made / "README.md").stat().st_mode)  # safetensors sets a mode of its own
        target.rmdir()  # fails if another program wrote into it meanwhile
        made.rename(target)
    saved = {"README.md", *(file.name for file in facts.weights), *(name.partition("/")[0] for name in beside)}
    others = (file for file in facts.folder.iterdir() if file.is_file() or any(file.iterdir()))
    left_out = sorted({file.name for file in others if not file.name.startswith(".")} - saved)
    return ", ".join(sorted(saved)) + (f"; left out: {', '.join(left_out)}" if left_out else "")


def _projection(model: LoadedModel, layer: int) -> Any:
    return model.network.get_submodule(model.check.projections[layer])


def _remove(model: LoadedModel, removal: Removal, layer: int, kind: str, stored: Tensor) -> None:
    """Change a stored weight or bias of a layer's output projection in place."""
    projection, values = _projection(model, layer), replacements(model, removal.replace)[layer, :, 0]
    heads = [head.head for head in removal.heads if head.layer == layer]
    rows = torch.arange(values.numel()).view(values.shape)[heads].flatten()
    if kind == "weight":
        out_first(projection, stored)[:, rows] = 0
    else:
        stored += (values[heads].flatten() @ out_first(projection, projection.weight.detach()).T[rows]).to(stored)


def _beside(facts: ModelFacts) -> Iterator[tuple[str, Path]]:
    """The files to copy beside the weights, by their name in the new folder.

    Pooling and further modules of sentence-transformers are copied if all of them are there; a norm has no files.
    """
    source, own = facts.folder, [one for one in FILES if not one.endswith(".safetensors")]
    of_tokenizer = OF_TOKENIZER if facts.spec.tokenizer else ["*.jinja"]
    for folder, patterns in ((source, own), (facts.tokenizer_folder, of_tokenizer)):
        files = (file for pattern in patterns for file in folder.glob(pattern))
        yield from ((file.name, file) for file in files if file.is_file() and file.name != MODULES)
    modules = json.loads((source / MODULES).read_bytes()) if (source / MODULES).is_file() else []
    modules = [one for one in modules if one["type"].rpartition(".")[2] not in ("Transformer", "Normalize")]
    folders = [source / Path(one["path"]).name for one in modules]
    if modules and all(folder.is_dir() for folder in folders):
        yield MODULES, source / MODULES
        yield from ((f"{folder.name}/{file.name}", file) for folder in folders for file in folder.iterdir())
