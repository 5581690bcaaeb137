"""The kinds of runs: what each is called, and who opens it."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class Kind:
    """A kind of run. what: in words. command: that makes it.

    format: what its manifest says; another one is of another version. results: what opens its folder, as module:name of the
    package.
    """

    name: str
    what: str
    command: str
    format: int | str
    results: str

    @property
    def noun(self) -> str:
        """What it is, without an article."""
        return self.what.removeprefix("a ")


KINDS = {
    kind.name: kind
    for kind in (
        Kind("study", "a study", "study", 11, "study.opened:Study"),
        Kind("ablation", "effects of removing heads", "ablate", "ablation 5", "interventions.opened:Ablation"),
    )
}  # fmt: skip


def kind_of(manifest: Mapping[str, Any]) -> Kind | None:
    """The kind that a manifest names."""
    return KINDS.get(str(manifest.get("kind")))


def named(name: str) -> Any:
    """What a kind names as module:name; imported only when it is used."""
    module, _, attribute = name.partition(":")
    return getattr(import_module(f"attn_core.{module}"), attribute)
