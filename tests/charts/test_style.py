"""What is printed on a colour is read on it: the contrast of WCAG 2.2."""

import numpy as np
import pandas as pd
import pytest

from attn_core.charts.segments import SEGMENT_INK
from attn_core.charts.style import ACCENT, CHANCE, DARK_INK, DIVERGING, LIGHT_INK, POINT, STRONG, A, B
from attn_core.charts.word_grid import around_zero


def rgb(colour: str) -> np.ndarray:
    return np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255


def luminance(colour: np.ndarray) -> float:
    linear = np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def contrast(a: np.ndarray, b: np.ndarray) -> float:
    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("ground", ["#ffffff", "#0e1117"], ids=["light", "dark"])
@pytest.mark.parametrize("colour", [POINT, ACCENT, CHANCE, A, B])
def test_what_is_drawn_stands_out_on_both_grounds(colour: str, ground: str) -> None:
    assert contrast(rgb(colour), rgb(ground)) >= 3


def test_numbers_are_read_on_every_colour_of_the_diverging_scale() -> None:
    places, ends = np.linspace(-1, 1, 5), np.array([rgb(colour) for colour in DIVERGING])
    for value in np.linspace(-1, 1, 101):
        ground = np.array([np.interp(value, places, channel) for channel in ends.T])
        of_both = [contrast(ground, rgb(printed)) for printed in (LIGHT_INK, DARK_INK)]
        printed = of_both[0] if abs(value) > STRONG else of_both[1]
        assert printed > 4.4 and printed > 0.9 * max(of_both), value
    shade = around_zero(pd.Series([0.5, 1.8, -1.8], name="excess"), "", limit=1.9)
    assert shade.ink == [DARK_INK, LIGHT_INK, LIGHT_INK]


@pytest.mark.parametrize(("colour", "ink"), SEGMENT_INK.items())
def test_the_numbers_of_segments_are_read_on_their_colours(colour: str, ink: str) -> None:
    assert contrast(rgb(colour), rgb(ink)) >= 4
