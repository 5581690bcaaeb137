"""What removed heads change in one window: the heads that are named, and their effects."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import streamlit as st

from attn_core.charts.interventions import MORE
from attn_core.charts.style import SELECTION
from attn_core.errors import InputError, ModelError
from attn_core.head import Head, every_head
from attn_core.models.files import ModelSpec
from attn_core.models.removal import REPLACEMENTS, Removal, Replace, named_heads
from attn_core.texts.passages import Passage
from attn_core.ui import readings
from attn_core.ui.readings import TextKey
from attn_core.ui.shell.page import View
from attn_core.ui.widgets.controls import explanation, one_of
from attn_core.ui.widgets.escape import plain

if TYPE_CHECKING:
    from attn_core.interventions.effects import Effects
    from attn_core.models.language_head import LanguageHead


Set = tuple[Head, ...]
MEASURED = 200  # heads, the most that are removed one by one before anybody asks
AT_ONCE = 4  # removals between two looks at whether something was clicked
WAYS: list[Replace] = list(REPLACEMENTS)
NAMED = 8  # heads that a legend names


def passage_of(key: TextKey) -> Passage:
    """The window of a key in tokens, also where pairs are of words."""
    return readings.passages(key)[key.number - 1]


@st.cache_data(max_entries=128, show_spinner="Removing the heads")
def effect(key: TextKey, removed: Set, how: Replace) -> "Effects":
    """The effect of removing these heads together."""
    from attn_core.interventions.effects import effects_of

    return effects_of(readings.model(key.spec), passage_of(key), [removed], how)


def effects(key: TextKey, removals: Sequence[Set], how: Replace, doing: str) -> np.ndarray:
    """The effect of each removal on the sentence embedding, (R,), with a progress bar while they are measured.

    A click ends the wait, and the next run of the page continues. doing: a description of what is measured.
    """
    from attn_core.interventions.effects import effects_of

    known = _known(key, how)
    missing = [one for one in dict.fromkeys(removals) if one not in known]
    bar = st.empty()
    for start in range(0, len(missing), AT_ONCE):
        done = len(removals) - len(missing) + start
        bar.progress(done / len(removals), f"{doing}: {done} of {len(removals)}")
        some = missing[start : start + AT_ONCE]
        measured = effects_of(readings.model(key.spec), passage_of(key), some, how).embedding
        known.update(zip(some, measured.tolist(), strict=True))
    bar.empty()
    return np.array([known[one] for one in removals])


@st.cache_resource(max_entries=64, show_spinner=False)
def _known(key: TextKey, how: Replace) -> dict[Set, float]:  # noqa: ARG001
    """The effects on a window that are already measured, by the removed heads."""
    return {}


@st.cache_data(max_entries=32, show_spinner="Estimating the importance of every head")
def estimate(key: TextKey, how: Replace) -> np.ndarray:
    """The estimated importance of every head, (layer, head)."""
    from attn_core.interventions.effects import estimated_importance

    return estimated_importance(readings.model(key.spec), passage_of(key), how)


@st.cache_resource(max_entries=1, show_spinner="Looking for a language-model head in the weights")
def language_head(spec: ModelSpec) -> "LanguageHead | str":
    """The language-model head of a model, or a sentence that says why it has none."""
    from attn_core.models.language_head import language_head as found

    try:
        return found(readings.model(spec))
    except ModelError as error:
        return str(error)


@st.cache_data(max_entries=32, show_spinner="Reading the window")
def entropies(key: TextKey, removal: Removal | None) -> pd.DataFrame:
    """Entropy and cross-entropy by layer of one window, whole or without some heads. Raises InputError without one."""
    from attn_core.models.language_head import entropies as by_layer

    if isinstance(head := language_head(key.spec), str):
        raise ModelError(head)
    return by_layer(readings.model(replace(key.spec, ablation=removal)), head, passage_of(key))


@dataclass(frozen=True)
class Removed:
    """Removed heads and what replaces their outputs. key: the shown window. shape: (layers, heads per layer)."""

    heads: tuple[Head, ...]
    how: Replace
    key: TextKey
    shape: tuple[int, int]

    @property
    def is_measured(self) -> bool:
        """Whether the importance of all heads is measured without a question; it is estimated where that takes long."""
        return self.shape[0] * self.shape[1] <= MEASURED and not readings.is_long(self.key)

    @property
    def importance(self) -> np.ndarray:
        """The effect of removing each head alone, (H,)."""
        alone = [(head,) for head in every_head(*self.shape)]
        return effects(self.key, alone, self.how, "Removing every head, one by one")

    @property
    def removal(self) -> Removal:
        """The ablation of the model."""
        return Removal(self.heads, self.how)

    @property
    def choices(self) -> dict[str, object]:
        """The provenance that the ablation adds to a table."""
        return {"ablation": self.removal.facts}


def choose(view: View) -> Removed:
    """The removed heads, which widgets choose: head A, and those that the text field names."""
    shape = view.results.shape
    with st.container(horizontal=True, vertical_alignment="bottom"):
        typed = st.text_input(
            "More heads to remove", key="off", bind="query-params", placeholder="L1H2 L3", help=explanation("off"),
            width=200, max_chars=1000,
        )  # fmt: skip
        ways = [way for way in WAYS if way != "even"]  # which has no estimate
        way = one_of("Replaced by", ways, "replace", width=130)
    heads = {view.head_a, *parsed_or_warned(typed, *shape)}
    return Removed(tuple(sorted(heads)), way, view.choice.key, shape)


def click(chart: str, shape: tuple[int, int]) -> None:
    """Make the head that was clicked on the map head A; with Shift, remove it too, or restore it."""
    selection = st.session_state[f"chart-{chart}"]["selection"]
    if more := selection.get(MORE):
        off = {*parsed(st.session_state.get("off", ""), *shape)[0]} ^ {Head.of_row(more[0]["layer"], more[0]["head"])}
        st.session_state["off"] = in_names(off, shape[1])
    elif cells := selection.get(SELECTION):
        st.session_state["a"] = str(Head.of_row(cells[0]["layer"], cells[0]["head"]))


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
