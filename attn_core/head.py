"""A head of a model: arrays count layers and heads from 0; names, tables and the screen count them from 1."""

import re
from numbers import Integral
from typing import TYPE_CHECKING, NamedTuple

from attn_core.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

MOST = 1_000_000  # more layers, and heads per layer, than any model has


class Head(NamedTuple):
    """Layer and head, counted from 0, an index into arrays (layer, head, ...). Layer 2, head 1 has the name L3H2."""

    layer: int
    head: int

    @property
    def row(self) -> tuple[int, int]:
        """Layer and head, counted from 1, as in tables."""
        return self.layer + 1, self.head + 1

    @classmethod
    def of_row(cls, layer: int, head: int) -> "Head":
        """The head of a row of a table."""
        return cls(int(layer) - 1, int(head) - 1)

    @classmethod
    def named(cls, name: str) -> "Head":
        """The head of a name, layer 2 and head 1 for L3H2. Raises InputError for any other string."""
        if not (match := re.fullmatch(r"L([1-9]\d{0,5})H([1-9]\d{0,5})", name)):
            raise InputError(f"{name[:40]!r} is no head: one is called L3H2.")
        return cls.of_row(*map(int, match.groups()))

    def rows_of(self, table: "pd.DataFrame") -> "pd.DataFrame":
        """The rows of the head in a table with the columns layer and head."""
        return table[(table["layer"] == self.layer + 1) & (table["head"] == self.head + 1)]

    def __str__(self) -> str:
        return "L{}H{}".format(*self.row)


def every_head(layers: int, heads: int) -> list[Head]:
    """All heads of a model, layer by layer."""
    return [Head(layer, head) for layer in range(layers) for head in range(heads)]


def head_of(name: str | tuple[int, int], layers: int = MOST, heads: int = MOST) -> Head:
    """The head of a name such as L3H10, or of a `Head`. Raises InputError if the model has no such head."""
    if isinstance(name, str):
        head = Head.named(name.strip().upper())
    elif isinstance(name, tuple) and len(name) == 2 and all(isinstance(number, Integral) for number in name):
        head = Head(*map(int, name))
    else:
        raise InputError(
            "A head is a name such as 'L3H10', or two whole numbers, its layer and its place there, not "
            f"{repr(name)[:40] if isinstance(name, tuple) else f'a value of type {type(name).__name__}'}."
        )
    if not (0 <= head.layer < layers and 0 <= head.head < heads):
        raise InputError(f"There is no head {head} in this model: its heads are L1H1 to L{layers}H{heads}.")
    return head
