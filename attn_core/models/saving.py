"""A model without some of its heads as ordinary files that plain transformers loads.

What a head puts out reaches the rest of the network through its slice of the layer's output projection alone: with that
slice at 0 the head is gone, and what it would have put out at every token, its mean, is a constant that the projection's
bias takes over. The network keeps its shape, so that it is not faster.
"""

from collections import defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from safetensors import SafetensorError

from attn_core.errors import InputError, ModelError
from attn_core.head import Head
from attn_core.io.paths import shown
from attn_core.models.ablation import replacements
from attn_core.models.attention import Collection
from attn_core.models.capture import run
from attn_core.models.files import locate
from attn_core.models.probe import probe
from attn_core.models.published import config_of, network_of, quiet_transformers
from attn_core.models.records import LoadedModel
from attn_core.models.removal import Removal
from attn_core.models.stacks import stack_of
from attn_core.tensors import AutoModel, Tensor, nn, torch, transformers

SAVED = ("mean", "zero")


def save_without(model: LoadedModel, removal: Removal, folder: Path, card: str) -> None:
    """Write the network that transformers reads, its tokenizer, and a card, into a new or empty folder: all of it or nothing.

    Raises InputError for a folder that holds anything and for what a file of weights cannot say (attention that is changed,
    `resample`), and ModelError where one pass of layers that share their weights would go alone, and where `mean` finds a
    projection without a bias.
    """
    refuse_full(folder)
    network, lacking = network_without(model, removal)
    # What the folder lacks, a pooler say, was drawn at random here: it is no weight of the model's.
    weights = {name: tensor for name, tensor in network.state_dict().items() if name not in lacking}
    target = folder.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=f".{target.name}-", dir=target.parent) as place:
        made = Path(place) / "made"
        made.mkdir()
        with quiet_transformers():
            try:
                network.save_pretrained(made, state_dict=weights)
            except SafetensorError as error:  # a disk that is full is one to it too
                raise InputError(f"The weights cannot be written to {shown(folder)}: {error}.") from None
            model.tokenizer.save_pretrained(made)
        (made / "README.md").write_text(card, encoding="utf-8")
        for file in made.iterdir():  # safetensors gives its files modes of its own
            file.chmod((made / "README.md").stat().st_mode)
        if target.exists():
            target.rmdir()  # the system refuses where something came into it meanwhile
        made.rename(target)


def refuse_full(folder: Path) -> None:
    """Raises InputError for what is no new or empty folder."""
    if folder.is_symlink() and not folder.exists():
        raise InputError(f"{shown(folder)} is a link that leads nowhere: name a new folder to save the model in.")
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{shown(folder)} is a file: name a new folder to save the model in.")
    if folder.is_dir() and any(folder.iterdir()):
        raise InputError(f"{shown(folder)} is not empty: name a new folder to save the model in.")


def network_without(model: LoadedModel, removal: Removal) -> tuple[Any, list[str]]:
    """A network of its own, as transformers loads it, whose outputs are those of the model without some heads.

    And the names of those of its weights that the model's folder lacks. Raises as `save_without`.
    """
    if model.spec.twin is not None:
        raise InputError("A twin lies in no file, and its seed tells it whole: save the model itself.")
    if model.spec.stack != "encoder":
        raise InputError("Of an encoder-decoder only the encoder is saved without heads: leave the stack out.")
    if removal.replace not in SAVED:
        raise InputError(f"Weights cannot say {removal.replace!r}: a model is saved with its heads at mean or zero.")
    values = replacements(model, removal.replace)
    projections = _projections(model)
    of_layers: dict[str, set[tuple[Head, ...]]] = defaultdict(set)
    for layer, name in enumerate(projections):
        of_layers[name].add(tuple(Head(0, head.head) for head in removal.heads if head.layer == layer))
    if any(len(removed) > 1 for removed in of_layers.values()):
        raise ModelError(
            f"The layers of {model.spec.name} share their weights: a head goes from all passes through them at once, or from "
            "none; name it H2, without its layer."
        )
    if len(of_layers) < len(projections) and removal.replace == "mean" and removal.heads:
        raise ModelError(
            f"The layers of {model.spec.name} share their weights, and a head's mean differs from pass to pass: save it with "
            "its heads at zero."
        )
    network, lacking = _fresh(model)
    modules = dict(stack_of(network.base_model).named_modules())
    for name in of_layers:
        layer = projections.index(name)
        gone = [head.head for head in removal.heads if head.layer == layer]
        if gone:
            _remove(modules[name], gone, values[layer, gone, 0].cpu(), model, removal.replace)
    return network, lacking


@torch.no_grad()
def _remove(projection: nn.Module, heads: list[int], values: Tensor, model: LoadedModel, replace: str) -> None:
    """values: (head, d_head), what the heads put out instead."""
    weight: Any = projection.weight
    # GPT-2's own kind of linear layer keeps its weight (in, out); torch's (out, in).
    by_input = weight if type(projection).__name__ == "Conv1D" else weight.T
    width = values.shape[1]
    columns = torch.cat([torch.arange(head * width, (head + 1) * width) for head in heads])
    if replace == "mean":
        if projection.bias is None:
            raise ModelError(
                f"The output projections of {model.spec.name} have no bias, which could take over a head's mean: save it with "
                "its heads at zero."
            )
        bias: Any = projection.bias
        bias += values.reshape(-1) @ by_input[columns]
    by_input[columns] = 0


def _projections(model: LoadedModel) -> list[str]:
    """The name of each layer's output projection: the linear map that is given its heads' outputs, as they were captured."""
    names, given = dict[int, str](), list[tuple[str, Tensor]]()
    for name, module in model.network.named_modules():
        names[id(module)] = name
    linear = [m for m in model.network.modules() if isinstance(m, nn.Linear) or type(m).__name__ == "Conv1D"]
    handles = [
        module.register_forward_hook(lambda module, inputs, _output: given.append((names[id(module)], inputs[0])))
        for module in linear
    ]
    ids = torch.tensor([probe(model)], device=model.device)
    collection = Collection(torch.full(ids.shape, 1 / ids.numel(), device=model.device), keep_maps=False)
    try:
        run(model, ids, None, collection)
    finally:
        for handle in handles:
            handle.remove()
    found = list[str]()
    for z in collection.z:
        flat = z.flatten(-2)
        fitting = [name for name, inputs in given if inputs.shape == flat.shape and torch.equal(inputs, flat)]
        if len(set(fitting)) != 1:
            raise ModelError(
                f"The output projections of {model.spec.name} cannot be told: it cannot be saved without heads."
            )
        found.append(fitting[0])
    return found


def _fresh(model: LoadedModel) -> tuple[Any, list[str]]:
    """The whole network of the model's folder, its language-model head with it, and which weights the folder lacks."""
    folder = locate(model.spec)
    config = config_of(model.spec, folder)
    kind: Any = getattr(transformers, (getattr(config, "architectures", None) or ["AutoModel"])[0], AutoModel)
    network, report = network_of(kind, folder, config)
    return network.eval(), sorted(report["missing_keys"])
