"""What is printed on a colour is read on it: the contrast of WCAG 2.2."""

import numpy as np
import pandas as pd
import pytest

from attn_core.charts.segment_bars import SEGMENT_INK
from attn_core.charts.style import ACCENT, CHANCE, DIVERGING, POINT, A, B
from attn_core.charts.word_grid import PURPLES, Shade, above_zero, around_zero, rising


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


VALUES = pd.Series(np.linspace(-1, 1, 101), name="excess")


@pytest.mark.parametrize(
    ("shade", "low", "power", "colours"),
    [
        (around_zero(VALUES, ""), -1, 1, DIVERGING), (above_zero(VALUES, ""), 0, 1, DIVERGING[2:]),
        (rising(VALUES, 1, ""), 0, 1, PURPLES), (rising(VALUES, 1, "", root=True), 0, 2, PURPLES),
    ],
    ids=["around zero", "above zero", "rising", "of roots"],
)  # fmt: skip
def test_numbers_are_read_on_every_colour_of_a_scale(shade: Shade, low: int, power: int, colours: list[str]) -> None:
    even = np.linspace(0, 1, len(colours))
    scale = shade.colour["scale"]
    assert scale["domain"] == pytest.approx(low + (1 - low) * even**power) and scale["range"] == colours
    places = ((VALUES - low) / (1 - low)).clip(lower=0) ** (1 / power)
    grounds = np.stack([np.interp(places, even, channel) for channel in np.array([*map(rgb, colours)]).T], axis=1)
    for ground, ink in zip(grounds, shade.ink, strict=True):
        assert contrast(ground, rgb(ink)) > 4.4


@pytest.mark.parametrize(("colour", "ink"), SEGMENT_INK.items())
def test_the_numbers_of_segments_are_read_on_their_colours(colour: str, ink: str) -> None:
    assert contrast(rgb(colour), rgb(ink)) >= 4
