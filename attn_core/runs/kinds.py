"""The kinds of runs: what each is called, and who opens it."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class Kind:
    """A kind of run. folders: what its folders lie in. command: that makes it.

    format: what its manifest says; another one is of another version. results: what opens its folder, as module:name of the
    package.
    """

    name: str
    folders: str
    command: str
    format: int | str
    results: str


KINDS = {
    "study": Kind("study", "studies", "study", 11, "study.opened:Study"),
    "ablation": Kind("ablation", "ablations", "ablate", "ablation 5", "interventions.opened:Ablation"),
}


def kind_of(manifest: Mapping[str, Any]) -> Kind | None:
    """The kind that a manifest names."""
    return KINDS.get(str(manifest.get("kind")))


def named(name: str) -> Any:
    """What a kind names as module:name; imported only when it is used."""
    module, _, attribute = name.partition(":")
    return getattr(import_module(f"attn_core.{module}"), attribute)
