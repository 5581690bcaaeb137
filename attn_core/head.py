"""A head of a model: counted from 0 where arrays are indexed, from 1 on the screen and in tables, and nowhere else."""

import re
from typing import NamedTuple


class Head(NamedTuple):
    """Layer and head, counted from 0: an index into arrays (layer, head, ...). Its name is L3H2 for layer 2, head 1."""

    layer: int
    head: int

    @property
    def row(self) -> tuple[int, int]:
        """Layer and head as they stand in a table."""
        return self.layer + 1, self.head + 1

    @classmethod
    def of_row(cls, layer: int, head: int) -> "Head":
        """The head of a row of a table."""
        return cls(int(layer) - 1, int(head) - 1)

    @classmethod
    def named(cls, name: str) -> "Head":
        """L3H2 -> layer 2, head 1. Raises ValueError for what is no head's name."""
        if not (match := re.fullmatch(r"L([1-9]\d*)H([1-9]\d*)", name)):
            raise ValueError(f"{name!r} is no head: one is called L3H2.")
        return cls.of_row(*map(int, match.groups()))

    def __str__(self) -> str:
        return "L{}H{}".format(*self.row)


def every_head(layers: int, heads: int) -> list[Head]:
    """All heads of a model, layer by layer."""
    return [Head(layer, head) for layer in range(layers) for head in range(heads)]
