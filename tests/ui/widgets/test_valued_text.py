"""A text shaded by a number a word: what stands in it stays text."""

import re

import numpy as np

from attn_core.ui.widgets.escape import shaded_html

TEXT = 'A <b>bold</b> "sea"\n& tide'


def test_the_text_is_whole_and_nothing_in_it_is_markup() -> None:
    words = [(0, 1), (2, 5), (20, 21), (22, 26)]
    starts, ends = zip(*words, strict=True)
    made = shaded_html(TEXT, starts, ends, np.array([0.0, 0.2, 0.1, 0.4]), ".1%")
    assert "<b>" not in made and "&lt;b&gt;" in made and "&quot;sea&quot;<br>" in made
    assert re.findall(r'title="([\d.]+%)"', made) == ["0.0%", "20.0%", "10.0%", "40.0%"]
    depth = [float(value) for value in re.findall(r"rgba\(213,94,0,([\d.]+)\)", made)]
    assert depth[0] == 0 < depth[2] < depth[1] < depth[3] == 0.75
