"""What heads do to one window, kept between reruns: effects, what the model makes of it without some of them."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from attn_core.head import Head
from attn_core.models.files import ModelSpec
from attn_core.models.head_outputs import HeadOutputs
from attn_core.models.intervention import Intervention
from attn_core.similarity.words import in_unit
from attn_core.texts.passages import Layout, Passage
from attn_core.ui.caches import readings
from attn_core.ui.choice import Choice

if TYPE_CHECKING:
    from attn_core.interventions.effects import Effects


@dataclass(frozen=True)
class OneWindow:
    """One window of a text and the model that reads it. index: of the window, from 0."""

    spec: ModelSpec
    text: str
    language: str
    layout: Layout
    index: int

    @classmethod
    def of(cls, choice: Choice, index: int) -> "OneWindow":
        """The window of a choice, whatever the settings of its measures."""
        return cls(choice.spec, choice.text, choice.language, choice.layout, index)

    @property
    def passage(self) -> Passage:
        """By its tokens, whatever pairs are of."""
        return readings.passages(self.spec, self.text, self.language, self.layout)[self.index]


@st.cache_data(max_entries=128, show_spinner="Taking the heads away")
def effect(window: OneWindow, removed: tuple[Head, ...], how: Intervention) -> "Effects":
    """The effect of removing these heads together."""
    from attn_core.interventions.effects import effects_of

    return effects_of(readings.model(window.spec), window.passage, [removed], how)


def effects(window: OneWindow, removals: list[tuple[Head, ...]], how: Intervention) -> np.ndarray:
    """Effect on the sentence embedding of each removal, (R,); kept by nobody."""
    from attn_core.interventions.effects import effects_of

    return effects_of(readings.model(window.spec), window.passage, removals, how).embedding


def estimate(window: OneWindow, how: Intervention) -> np.ndarray:
    """The estimated importance of every head, (layer, head)."""
    from attn_core.interventions.importance import estimated_importance

    return estimated_importance(readings.model(window.spec), window.passage, how)


def curve(window: OneWindow, order: list[Head], counts: list[int], how: Intervention) -> np.ndarray:
    """Effect of removing the first heads of an order, (count,)."""
    from attn_core.interventions.curves import pruning_curve

    return pruning_curve(readings.model(window.spec), [window.passage], order, counts, how)[0]


@st.cache_resource(max_entries=4, show_spinner="Reading the text without the heads")
def outputs(window: OneWindow, intervention: Intervention, unit: Any) -> HeadOutputs:
    """Head outputs under an intervention, in the unit that pairs are of."""
    from attn_core.models.capture import capture

    changed = readings.model(replace(window.spec, intervention=intervention))
    (output,) = capture(changed, [window.passage])
    return in_unit(unit, window.passage, output)[1]


@st.cache_data(max_entries=16, show_spinner="Comparing the matrices")
def matrix_changes(window: OneWindow, intervention: Intervention, choice: Choice, at: tuple[int, ...]) -> np.ndarray:
    """1 - rank correlation of every head's matrix before and after an intervention, (layer, head). at: tokens that may pair."""
    from attn_core.interventions import downstream

    settings = choice.settings
    before = in_unit(settings.unit, window.passage, _whole(window))[1]
    after = outputs(window, intervention, settings.unit)
    return downstream.matrix_changes(before.z, after.z, settings.measure, np.array(at))


def _whole(window: OneWindow) -> HeadOutputs:
    read = readings.reading(window.spec, window.text, window.language, window.layout, window.index)
    return read.outputs[0]
