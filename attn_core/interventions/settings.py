"""The settings of an ablation over many texts."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from attn_core.errors import InputError, check_choice
from attn_core.models.removal import REPLACEMENTS, Replace
from attn_core.texts.languages import AUTO
from attn_core.texts.passages import Layout

What = Literal["heads", "importance", "curve"]
IMPORTANCE, ROLE = "importance", "role:"  # orders of removal


@dataclass(frozen=True)
class AblationSettings:
    """Settings of an ablation. Raises InputError for settings that exclude each other.

    what: "heads" (effect of given heads), "importance" (of every head) or "curve" (importance and a pruning curve).
    heads: names of heads (L3H10) or layers (L5). labels: a table with columns text and label. order: of removal along a
    curve, "importance" (least important first) or "role:NAME" (heads of a role first). seed: of random draws.
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
        """The role whose heads are removed first; None if the order is not by role."""
        return self.order.removeprefix(ROLE) or None if self.order.startswith(ROLE) else None
