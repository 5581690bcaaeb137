"""What is asked about the heads of a model, and what decides the numbers."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from attn_core.errors import InputError
from attn_core.interventions.labels import Labelled, read_labels
from attn_core.models.intervention import REPLACEMENTS, Replace
from attn_core.texts.languages import AUTO
from attn_core.texts.passages import Layout

What = Literal["heads", "importance", "curve"]
BY_COMMAND: tuple[Replace, ...] = tuple(name for name in REPLACEMENTS if name != "temperature")


@dataclass(frozen=True)
class AblationSettings:
    """What is asked: the effect of some heads, the importance of every head, or that and pruning curves.

    heads: names, such as L3H10 a head, L5 a layer. labels: a CSV with the columns text and label. Raises InputError for
    questions that do not go together.
    """

    what: What
    heads: tuple[str, ...] = ()
    replace: Replace = "mean"
    labels: Path | None = None
    layout: Layout = "plain"
    language: str = AUTO
    seed: int = 0

    def __post_init__(self) -> None:
        if self.replace not in BY_COMMAND:
            raise InputError(f"Heads are replaced by {', '.join(BY_COMMAND[:-1])} or {BY_COMMAND[-1]} here.")
        if (self.what == "heads") != bool(self.heads):
            raise InputError("Name the heads to remove, such as L3H10 or L5; importance and curves are of all heads.")
        if self.labels is not None and self.what == "importance":
            raise InputError("Labels go with some heads, or with a curve: the importance of each head is of any texts.")

    def labelled(self) -> Labelled | None:
        """The labelled texts. Raises InputError as `read_labels`."""
        return None if self.labels is None else read_labels(self.labels)
