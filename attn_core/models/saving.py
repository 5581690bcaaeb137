"""A model without some of its heads, saved as files that transformers loads without this package.

A head acts on the rest of the network only through its slice of the layer's output projection. The slice becomes 0,
and the projected mean of the head is added to the bias. The shapes stay, so that the network does not get faster.
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
    """Raise InputError or ModelError, with one sentence, if `save_without` cannot write the model."""
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
    """Write the network without some heads, its tokenizer and a card into a new or empty folder, or write nothing."""
    check_saving(model, removal, folder)
    source, values = locate(model.spec), replacements(model, removal.replace)
    config = config_of(model.spec, source)
    kind: Any = getattr(transformers, (getattr(config, "architectures", None) or ["AutoModel"])[0], AutoModel)
    network, report = network_of(kind, source, config)
    modules = dict(stack_of(network.base_model, "encoder").named_modules())
    for head in removal.heads:
        projection: Any = modules[model.check.projections[head.layer]]
        # The weight of GPT-2's own linear layer is (in, out), torch's is (out, in).
        weight = projection.weight.data if type(projection).__name__ == "Conv1D" else projection.weight.data.T
        value = values[head.layer, head.head, 0].cpu()
        columns = slice(head.head * len(value), (head.head + 1) * len(value))
        if removal.replace == "mean":
            projection.bias.data += value @ weight[columns]
        weight[columns] = 0
    # Weights that the folder lacks, such as a pooler, were drawn at random here.
    weights = {name: tensor for name, tensor in network.state_dict().items() if name not in report["missing_keys"]}
    target = folder.resolve()
    target.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=target.parent) as place:
        with quiet_transformers(), in_one_sentence(InputError, f"The model cannot be written to {shown(folder)}"):
            network.save_pretrained(made := Path(place) / "made", state_dict=weights)
            model.tokenizer.save_pretrained(made)
        (made / "README.md").write_text(card, encoding="utf-8")
        for file in made.iterdir():  # safetensors sets modes of its own
            file.chmod((made / "README.md").stat().st_mode)
        target.rmdir()  # fails if another program wrote into it meanwhile
        made.rename(target)
