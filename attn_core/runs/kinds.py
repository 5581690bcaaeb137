"""The kinds of runs: what each is called, and who opens it."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from attn_core.runs.folder import MANIFEST

SERIES_MANIFEST = "series.json"


@dataclass(frozen=True)
class Kind:
    """A kind of run. what: in words. command: that makes it.

    format: what its manifest says; another one is of another version. results: what opens its folder, as module:name of the
    package. manifest: the name of that file. grows: whether later runs add to what is finished, so that they must count as the
    first one did.
    """

    name: str
    what: str
    command: str
    format: int | str
    results: str
    manifest: str = MANIFEST
    grows: bool = False

    @property
    def noun(self) -> str:
        """What it is, without an article."""
        return self.what.removeprefix("a ")


KINDS = {
    kind.name: kind
    for kind in (
        Kind("study", "a study", "study", 10, "study.opened:Study"),
        Kind("ablation", "effects of removing heads", "ablate", "ablation 4", "interventions.opened:Ablation"),
        Kind("reproduction", "a reproduction", "reproduce", "reproduction 3",
             "reproduction.opened:Reproduction", grows=True),
        Kind("series", "a series", "series", 2, "series.opened:Series", SERIES_MANIFEST, grows=True),
    )
}  # fmt: skip


def kind_of(manifest: Mapping[str, Any]) -> Kind | None:
    """The kind that a manifest names. Up to version 0.2.0 its format named it, and that of a study or series was a number."""
    name = manifest.get("kind") or str(manifest.get("format", "")).partition(" ")[0]
    if name.isdigit():
        name = "series" if "texts" in manifest else "study"
    return KINDS.get(name)


def named(name: str) -> Any:
    """What a kind names as module:name; imported only when it is used."""
    module, _, attribute = name.partition(":")
    return getattr(import_module(f"attn_core.{module}"), attribute)
