"""Heads by their names, as a field and an address hold them, and what may stand in their place."""

from collections.abc import Iterable

import streamlit as st

from attn_core.errors import InputError
from attn_core.head import Head
from attn_core.models.removal import REPLACEMENTS, Removal, Replace, named_heads
from attn_core.ui.widgets.escape import plain

WAYS: list[Replace] = list(REPLACEMENTS)
MEANING = (
    "What a removed head puts out: its *mean* over the reference texts, *zero*, its output on another text "
    "(*resample*), or that of *even* attention."
)
NAMES = (
    "L3H10 is a head, L3 a layer, H2 the second head of every layer (of every pass, where layers share their weights)."
)
NAMED = 8  # heads that a legend names


def parsed(typed: str, layers: int, heads: int) -> tuple[tuple[Head, ...], list[str]]:
    """The heads that are named, and a sentence for each name of no head."""
    chosen, refused = set[Head](), []
    for name in typed.replace(",", " ").split():
        try:
            chosen.update(named_heads([name], layers, heads))
        except InputError as error:
            refused.append(str(error))
    return tuple(sorted(chosen)), refused


def parsed_or_warned(typed: str, layers: int, heads: int) -> tuple[Head, ...]:
    """The heads that are named. Draws a warning for each name of no head."""
    chosen, refused = parsed(typed, layers, heads)
    for sentence in refused:
        st.warning(plain(sentence), icon=":material/info:")
    return chosen


def in_names(heads: Iterable[Head], across: int) -> str:
    """The names of heads, such as "L1H2 L3" with a whole layer, as `parsed` reads them. across: heads per layer."""
    of_layer: dict[int, list[Head]] = {}
    for head in sorted(set(heads)):
        of_layer.setdefault(head.layer, []).append(head)
    return " ".join(
        f"L{layer + 1}" if len(some) == across else " ".join(map(str, some)) for layer, some in of_layer.items()
    )


def without(removal: Removal) -> str:
    """The removed heads for a legend, such as "without L1H2, L3H4 (zero)": eight at most; the mean is not named."""
    names, way = list(map(str, removal.heads)), "" if removal.replace == "mean" else f" ({removal.replace})"
    more = f" and {len(names) - NAMED} more heads" if len(names) > NAMED else ""
    return f"without {', '.join(names[:NAMED])}{more}{way}"
