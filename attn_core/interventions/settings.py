"""What is asked about the heads of a model, and what decides the numbers."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from attn_core.checks import check_choice
from attn_core.errors import InputError
from attn_core.interventions.labels import Labelled, read_labels
from attn_core.models.removal import REPLACEMENTS, Replace
from attn_core.texts.languages import AUTO
from attn_core.texts.passages import Layout

What = Literal["heads", "importance", "curve", "entropy"]
IMPORTANCE, ROLE = "importance", "role:"  # orders in which heads go


@dataclass(frozen=True)
class AblationSettings:
    """What is asked: the effect of some heads, the importance of every head, that and pruning curves, or entropy by layer.

    heads: names, such as L3H10 a head, L5 a layer; entropy is asked with and without them. labels: a CSV with the columns text
    and label. order: in which heads go along a curve, "importance", the least important first, or "role:NAME", those of a role
    first. Raises InputError for questions that do not go together.
    """

    what: What
    heads: tuple[str, ...] = ()
    replace: Replace = "mean"
    labels: Path | None = None
    layout: Layout = "plain"
    language: str = AUTO
    seed: int = 0
    order: str = IMPORTANCE

    def __post_init__(self) -> None:
        check_choice(self.replace, REPLACEMENTS, "What heads are replaced by")
        if self.what != "entropy" and (self.what == "heads") != bool(self.heads):
            raise InputError("Name the heads to remove, such as L3H10 or L5; importance and curves are of all heads.")
        if self.labels is not None and self.what not in ("heads", "curve"):
            raise InputError("Labels go with some heads, or with a curve: the importance of each head is of any texts.")
        if self.order != IMPORTANCE and (self.what != "curve" or self.role is None):
            raise InputError(
                f"Along a curve heads go by {IMPORTANCE} or {ROLE}NAME, such as {ROLE}anchor, not {self.order!r}."
            )

    def labelled(self) -> Labelled | None:
        """The labelled texts. Raises InputError as `read_labels`."""
        return None if self.labels is None else read_labels(self.labels)

    @property
    def role(self) -> str | None:
        """The role whose heads go first."""
        return self.order.removeprefix(ROLE) or None if self.order.startswith(ROLE) else None
