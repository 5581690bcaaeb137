"""An intervention: which heads of a model put out something else than their own outputs, and what.

It is a part of `ModelSpec`, as a twin is, so that whatever reads, keeps, counts or exports under one says so: a
number that was taken under an intervention is never shown without it. `running_change` carries it out.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal, get_args

from attn_core.errors import InputError
from attn_core.head import Head, every_head, head_of

Replace = Literal["mean", "zero", "resample", "even"]
REPLACEMENTS: tuple[Replace, ...] = get_args(Replace)
CHANGES_OF_ATTENTION = ("even",)  # what changes where a head attends, and not what it puts out of it
OF_TEXTS = ("mean", "resample")
FAR = 1_000_000  # more layers, and heads a layer, than any model has
Names = Sequence[str | Head | tuple[int, int]]


@dataclass(frozen=True)
class Intervention:
    """Heads that are removed.

    heads: sorted; given by name (L3H10), or counted from 0 as `Head`s. replace: what stands in place of a head's output z:
      mean: its mean z, one d_head vector, over all tokens of reference texts.
      zero: nothing.
      resample: its z on another text, token by token; a shorter text begins anew.
      even: what it would put out if each token attended evenly to all that it may see.
    texts: those that mean and resample are taken of; none stands for the English sample texts of the package.

    >>> print(attn_core.Intervention(("L3H10", "L1H2"), "zero"))
    without L1H2, L3H10 (zero)
    """

    heads: tuple[Head, ...]
    replace: Replace = "mean"
    texts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Raises InputError for what is no intervention."""
        if self.replace not in REPLACEMENTS:
            raise InputError(
                f"Heads are replaced by {', '.join(REPLACEMENTS[:-1])} or {REPLACEMENTS[-1]}, not {self.replace!r}."
            )
        if self.texts and self.replace not in OF_TEXTS:
            raise InputError(f"{self.replace!r} takes no texts: mean and resample do.")
        object.__setattr__(self, "texts", reference_texts(self.texts))
        object.__setattr__(self, "heads", tuple(sorted(set(map(_head, _several(self.heads))))))

    def __repr__(self) -> str:
        """Without the texts, which may be long."""
        return f"<Intervention: {self}>"

    def __str__(self) -> str:
        return f"without {', '.join(map(str, self.heads)) or 'no head'} ({self.in_words})"

    @property
    def in_words(self) -> str:
        """What stands in place of the heads' outputs, and where it comes from."""
        return f"{self.replace} of {self._texts_in_words}" if self.replace in OF_TEXTS else self.replace

    @property
    def _texts_in_words(self) -> str:
        if not self.texts:
            return "the English sample texts" if self.replace == "mean" else "a sample text"
        digest = sha256("\0".join(self.texts).encode()).hexdigest()[:12]
        return f"{len(self.texts)} text{'s' if len(self.texts) > 1 else ''}, sha256 {digest}"


def reference_texts(texts: Iterable[str]) -> tuple[str, ...]:
    """The texts that values are taken of. Raises InputError for what is no list, and for one text, a list of letters."""
    if isinstance(texts, str | bytes) or not isinstance(texts, Iterable):
        raise InputError("Reference texts come as a list of texts: put one that stands alone into a list.")
    return tuple(texts)


def named_heads(names: Names, layers: int, heads: int) -> tuple[Head, ...]:
    """The heads that are named: L3H10 a head, L5 a layer, H2 the second head of every layer; or `Head`s, counted from 0.

    Where layers share their weights (ALBERT), a name of a head is one pass through them, H2 that head in all passes.
    Raises InputError for one that the model has not.
    """
    known, named = every_head(layers, heads), set[Head]()
    for name in _several(names):
        wanted = _wanted(name)
        here = [head for head in known if wanted(head)]
        if not here:
            shown = str(name if isinstance(name, str) else Head(*name))[:40].strip() or "head without a name"
            raise InputError(
                f"There is no {shown} in this model: its heads are L1H1 to L{layers}H{heads}, "
                f"its layers L1 to L{layers}."
            )
        named.update(here)
    return tuple(sorted(named))


def _several(names: Names) -> Names:
    """Heads as a list. Raises InputError for a name alone, which is a sequence of letters."""
    if isinstance(names, str):
        raise InputError(f"Heads come as a list of names, such as ['L3H10', 'L5']: put {names[:40]!r} into one.")
    if not isinstance(names, Sequence):
        raise InputError(f"Heads come as a list of names, such as ['L3H10', 'L5'], not {type(names).__name__}.")
    return names


def _head(name: str | Head | tuple[int, int]) -> Head:
    """A head whose model is not known yet."""
    return head_of(name, FAR, FAR)


def _wanted(name: str | Head | tuple[int, int]) -> Callable[[Head], bool]:
    if not isinstance(name, str):
        wanted = _head(name)
        return lambda head: head == wanted
    parts = re.fullmatch(r"(?:L(\d{1,6}))?(?:H(\d{1,6}))?", name.strip().upper())
    if not parts or not any(parts.groups()):
        return lambda _head: False
    layer, number = (None if part is None else int(part) - 1 for part in parts.groups())
    return lambda head: layer in (None, head.layer) and number in (None, head.head)


BY_MEAN = Intervention(())  # the usual way, of heads that are named apart
