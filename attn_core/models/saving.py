"""A model without some of its heads as ordinary files that plain transformers loads.

A head reaches the rest of the network through its slice of the layer's output projection alone: with that slice at 0 it is
gone, and its mean, a constant, is added to the projection's bias. The network keeps its shape, so that it is not faster.
"""

import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from attn_core.errors import InputError, ModelError, in_one_sentence
from attn_core.head import Head
from attn_core.io.paths import shown
from attn_core.models.ablation import replacements
from attn_core.models.files import locate
from attn_core.models.pretrained import config_of, network_of, quiet_transformers
from attn_core.models.records import LoadedModel
from attn_core.models.removal import Removal
from attn_core.models.stacks import stack_of
from attn_core.tensors import AutoModel, transformers


def check_saving(model: LoadedModel, removal: Removal, folder: Path) -> None:
    """Raises InputError or ModelError, in one sentence, where `save_without` cannot write the model."""
    spec, heads, mean = model.spec, removal.heads, removal.replace == "mean"
    if os.path.lexists(folder) and not (folder.is_dir() and not any(folder.iterdir())):
        raise InputError(f"{shown(folder)} is no new or empty folder: name one to save the model in.")
    if spec.copy is not None or spec.stack != "encoder" or removal.replace not in ("mean", "zero"):
        raise InputError("Only a trained model, or its encoder, is saved, with mean or zero in place of its heads.")
    names = model.check.projections
    in_all_passes = {Head(layer, head.head) for head in heads for layer in range(model.layers)}
    if len(set(names)) < len(names) and (mean or set(heads) != in_all_passes):
        raise ModelError(
            f"The layers of {spec.name} share their weights: remove a head from all passes, named H2, and take zero."
        )
    if mean and any(getattr(model.network.get_submodule(names[head.layer]), "bias", None) is None for head in heads):
        raise ModelError(f"The output projections of {spec.name} have no bias to take over a mean: take zero.")


def save_without(model: LoadedModel, removal: Removal, folder: Path, card: str) -> None:
    """Write the network without some heads, its tokenizer and a card into a new or empty folder: all of it or nothing."""
    check_saving(model, removal, folder)
    source, values = locate(model.spec), replacements(model, removal.replace)
    config = config_of(model.spec, source)
    kind: Any = getattr(transformers, (getattr(config, "architectures", None) or ["AutoModel"])[0], AutoModel)
    network, report = network_of(kind, source, config)
    modules = dict(stack_of(network.base_model).named_modules())
    for head in removal.heads:
        projection: Any = modules[model.check.projections[head.layer]]
        # GPT-2's own kind of linear layer keeps its weight (in, out); torch's (out, in).
        weight = projection.weight.data if type(projection).__name__ == "Conv1D" else projection.weight.data.T
        value = values[head.layer, head.head, 0].cpu()
        columns = slice(head.head * len(value), (head.head + 1) * len(value))
        if removal.replace == "mean":
            projection.bias.data += value @ weight[columns]
        weight[columns] = 0
    # What the folder lacks, a pooler say, was drawn at random here: it is no weight of the model's.
    weights = {name: tensor for name, tensor in network.state_dict().items() if name not in report["missing_keys"]}
    target = folder.resolve()
    target.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=target.parent) as place:
        with quiet_transformers(), in_one_sentence(InputError, f"The model cannot be written to {shown(folder)}"):
            network.save_pretrained(made := Path(place) / "made", state_dict=weights)
            model.tokenizer.save_pretrained(made)
        (made / "README.md").write_text(card, encoding="utf-8")
        for file in made.iterdir():  # safetensors gives its files modes of its own
            file.chmod((made / "README.md").stat().st_mode)
        target.rmdir()  # the system refuses where something came into it meanwhile
        made.rename(target)
