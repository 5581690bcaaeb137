"""The settings of an ablation over many texts."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from attn_core.errors import InputError, check_choice
from attn_core.models.removal import REPLACEMENTS, Replace
from attn_core.texts.languages import AUTO
from attn_core.texts.passages import Layout

What = Literal["heads", "importance", "curve"]
IMPORTANCE, ROLE = "importance", "role:"  # orders in which heads go


@dataclass(frozen=True)
class AblationSettings:
    """What is measured: the effect of some heads, the importance of every head, or that and a pruning curve.

    heads: names, such as L3H10 a head, L5 a layer. labels: a table with the columns text and label. order: of the heads
    along a curve, "importance" (the least important first) or "role:NAME" (those of a role first). seed: of random sets
    and orders, and of the estimate. Raises InputError for settings that exclude each other.
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
        if (self.what == "heads") != bool(self.heads):
            raise InputError("Name the heads to remove, such as L3H10 or L5; importance and a curve are of all heads.")
        if self.labels is not None and self.what == "importance":
            raise InputError("Labels go with some heads, or with a curve: the importance of each head is of any texts.")
        if self.order != IMPORTANCE and (self.what != "curve" or self.role is None):
            raise InputError(
                f"Along a curve heads go by {IMPORTANCE} or {ROLE}NAME, such as {ROLE}anchor, not {self.order!r}."
            )

    @property
    def role(self) -> str | None:
        """The role whose heads go first."""
        return self.order.removeprefix(ROLE) or None if self.order.startswith(ROLE) else None
