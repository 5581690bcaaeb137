"""The removed heads of a model and what replaces their outputs, as a part of `ModelSpec`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from attn_core.errors import InputError, check_choice
from attn_core.head import Head, every_head, head_of

Replace = Literal["mean", "zero", "resample", "even"]
REPLACEMENTS: tuple[Replace, ...] = get_args(Replace)
REPLACED_BY = {"mean": "mean over the reference texts", "resample": "resample of a reference text"}  # in other words
Names = Sequence[str | Head | tuple[int, int]]


@dataclass(frozen=True)
class Removal:
    """The heads to remove from a model, and what replaces their outputs.

    heads: names such as L3H10, or `Head`s, which count from 0; they are sorted. replace: what replaces a head's output
    z:
      mean: its mean z, one d_head vector, over all tokens of reference texts.
      zero: zeros.
      resample: its z on another text, token by token, repeated for a longer text.
      even: its output if each token attended evenly to all tokens that it may see.
    Raises InputError for any other value.

    >>> from attn_core.models.removal import Removal
    >>> print(Removal(("L3H10", "L1H2"), "zero"))
    without L1H2, L3H10 (zero)
    """

    heads: tuple[Head, ...]
    replace: Replace = "mean"

    def __post_init__(self) -> None:
        check_choice(self.replace, REPLACEMENTS, "What heads are replaced by")
        object.__setattr__(self, "heads", tuple(sorted({head_of(name) for name in _several(self.heads)})))

    def __str__(self) -> str:
        return f"without {', '.join(map(str, self.heads)) or 'no head'} ({self.replace})"

    @property
    def facts(self) -> dict[str, object]:
        """The removal as data, for provenance and manifests."""
        return {"heads": [str(head) for head in self.heads], "replace": self.replace}


def named_heads(names: Names, layers: int, heads: int) -> tuple[Head, ...]:
    """The heads of a model by name: L3H10 is a head, L5 a layer, H2 the second head of every layer; or `Head`s.

    Where layers share their weights (ALBERT), L3H2 is head 2 in the third pass. Raises InputError for an unknown head.
    """
    every = [(head, {str(head), f"L{head.layer + 1}", f"H{head.head + 1}"}) for head in every_head(layers, heads)]
    named = set[Head]()
    for name in _several(names):
        text = name.strip().upper() if isinstance(name, str) else str(head_of(name))
        if not (found := {head for head, own in every if text in own}):
            raise InputError(
                f"There is no {text[:40] or 'head without a name'} in this model: its heads are L1H1 to "
                f"L{layers}H{heads}, its layers L1 to L{layers}."
            )
        named |= found
    return tuple(sorted(named))


def _several(names: Names) -> Names:
    """The names unchanged. Raises InputError for a single string, which is a sequence of letters."""
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise InputError(f"Heads come as a list of names, such as ['L3H10', 'L5'], not {str(names)[:40]!r}.")
    return names
