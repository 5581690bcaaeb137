"""What is asked about the heads of a model, and what decides the numbers."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from attn_core.errors import InputError
from attn_core.interventions.labels import Labelled, read_labels
from attn_core.interventions.tasks import Tasks, read_gold, read_snippets
from attn_core.models.intervention import REPLACEMENTS, Replace
from attn_core.texts.languages import AUTO
from attn_core.texts.passages import Layout

What = Literal["heads", "importance", "curve", "entropy"]
BY_COMMAND: tuple[Replace, ...] = tuple(name for name in REPLACEMENTS if name != "temperature")


@dataclass(frozen=True)
class AblationSettings:
    """What is asked: the effect of some heads, the importance of every head, that and pruning curves, or entropy by layer.

    heads: names, such as L3H10 a head, L5 a layer; entropy is asked with and without them. labels: a CSV with the columns text
    and label. gap: a file of GAP. gold: a folder of texts with gold boundaries. Raises InputError for questions that do not go
    together.
    """

    what: What
    heads: tuple[str, ...] = ()
    replace: Replace = "mean"
    labels: Path | None = None
    layout: Layout = "plain"
    language: str = AUTO
    seed: int = 0
    gap: Path | None = None
    gold: Path | None = None

    def __post_init__(self) -> None:
        if self.replace not in BY_COMMAND:
            raise InputError(f"Heads are replaced by {', '.join(BY_COMMAND[:-1])} or {BY_COMMAND[-1]} here.")
        if self.what != "entropy" and (self.what == "heads") != bool(self.heads):
            raise InputError("Name the heads to remove, such as L3H10 or L5; importance and curves are of all heads.")
        if self.labels is not None and self.what not in ("heads", "curve"):
            raise InputError("Labels go with some heads, or with a curve: the importance of each head is of any texts.")
        if (self.gap is not None or self.gold is not None) and self.what != "heads":
            raise InputError("Pronouns and gold texts are asked with and without some heads: name the heads to remove.")

    def labelled(self) -> Labelled | None:
        """The labelled texts. Raises InputError as `read_labels`."""
        return None if self.labels is None else read_labels(self.labels)

    def tasks(self) -> Tasks:
        """The texts of `gap` and `gold`. Raises InputError as `read_snippets` and `read_gold`."""
        return Tasks(
            () if self.gap is None else read_snippets(self.gap), {} if self.gold is None else read_gold(self.gold)
        )
