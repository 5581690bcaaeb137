"""Every figure, drawn: whole, titled and described, its axes and colours named, a mark for each row of its table."""

import re
from collections import Counter
from functools import cache
from xml.etree import ElementTree

import numpy as np
import pytest

from attn_core.charts.catalogue import BY_FIGURE, draw_figure
from attn_core.charts.paper import to_svg
from attn_core.charts.style import Figure
from attn_core.claims.claim import CLAIMS
from attn_core.measures.kinds import KINDS
from attn_core.measures.similarity_scores import CLASSES
from attn_core.measures.stable_roles import SETTINGS
from attn_core.similarity.distribution import BINS
from tests.charts.figures import (
    BINNED,
    BITS,
    FIGURES,
    HEADS,
    LAYERS,
    MEANS,
    ORDERS,
    PROFILES,
    ROLE_COUNTS,
    SIZE,
    UNIQUE,
    made_curves,
)

# The rows that a figure draws, where they are not the heads.
ROWS = {
    "crop": 2, "matrix": 2, "why": 2, "text": 40, "uniqueness": len(UNIQUE), "profiles": len(PROFILES),
    "kinds": SIZE * len(KINDS),
    "kinds of a head": len(KINDS), "distances": len(BINNED), "distances of a head": len(BINNED) // 2,
    "shares": 2 * LAYERS, "similarity scores": LAYERS * len(CLASSES) * BINS,
    "depth": len(made_curves()), "effect": 2, "orders": 6, "bits": 2 * len(BITS), "silhouettes": 3,
    "relations": LAYERS, "segments": 16,
    "heads of roles": 4 * len(ROLE_COUNTS), "roles of a head": len(SETTINGS), "likeness": SIZE * (SIZE - 1),
    "steps": 3 * LAYERS, "drift": 3 * LAYERS, "roles by step": 12, "bits by step": 4,
    "roles by text": 8, "statistics by text": 8,
    "claims": 44, "claims grid": 2 * len(CLAIMS), "settings": 8, "other measures": 8, "drift of a head": 3 * LAYERS,
}  # fmt: skip
# What the points of a figure are as high as, in the order of their rows.
HEIGHTS = {
    "layers": HEADS["mean_distance"], "depth": made_curves()["value"],
    "bits": [*BITS["entropy"], *BITS["cross_entropy"]],
    "shares": [*MEANS["mean_distance"]] * 2, "orders": np.sqrt(ORDERS["effect"][:-2]),
    "scatter": HEADS["mean_distance"],
}  # fmt: skip
# Figures with a legend of symbols, each with the column that it is of.
LINES = ("layers", "shares", "depth", "orders", "bits", "steps", "drift", "roles by step", "bits by step")
LEGENDS = dict.fromkeys(LINES, "line") | {
    "roles": "role", "scatter": "role", "clusters": "cluster", "kinds": "kind", "claims grid": "shade",
    "settings": "label", "why": "part",
}  # fmt: skip
TITLE = "A figure of made-up numbers"
NAMED = re.compile(r"^[XY]-axis titled '.+' for|^[XY]-axis for a discrete scale with \d+ values?: [^\d]")


@cache
def chart(name: str) -> Figure:
    return FIGURES[name]().chart


@cache
def drawn(name: str) -> ElementTree.Element:
    return ElementTree.fromstring(to_svg(chart(name).to_dict(), TITLE))


def labels(figure: ElementTree.Element, kind: str) -> list[str]:
    of_kind = (one for one in figure.iter() if f"role-{kind}" in one.get("class", "").split())
    return [one.attrib["aria-label"] for one in of_kind if "aria-label" in one.attrib]  # a grid has none


def marks(figure: ElementTree.Element) -> Counter[str]:
    """How many marks are drawn by their class, of a line its points; what is written does not count."""
    found: Counter[str] = Counter()
    for group in figure.iter():
        classes = group.get("class", "").split()
        if "role-mark" in classes and "mark-text" not in classes:
            is_line = "mark-line" in classes
            found[" ".join(classes)] += len(re.findall("[ML]", group[0].get("d", ""))) if is_line else len(group)
    return found


def test_every_figure_of_the_catalogue_is_drawn_here_and_its_title_has_no_open_field() -> None:
    drawn = [FIGURES[name]() for name in FIGURES]
    assert {one.func is draw_figure for one in FIGURES.values()} == {True}
    assert {one.args[0] for one in FIGURES.values()} == {*BY_FIGURE}
    assert not [one.title for one in drawn if set("{}") & {*one.title, *one.name}]


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_is_drawn_whole_with_title_description_and_named_axes(name: str) -> None:
    figure = drawn(name)
    written = ["".join(one.itertext()) for one in figure.iter() if one.tag.endswith("}text")]
    assert TITLE in written
    assert not [words for words in written if re.search(r"\b(NaN|nan|undefined|null|None|Infinity)\b", words)]
    assert "NaN" not in ElementTree.tostring(figure, "unicode")
    axes = labels(figure, "axis")
    assert axes and not [axis for axis in axes if not NAMED.match(axis)]
    told = str(chart(name).description)
    assert re.match(r".{30}", told) and re.search(r"\d", told) and not re.search(r"\bnan\b|None", told)


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_has_a_mark_for_each_row_of_its_table(name: str) -> None:
    assert max(marks(drawn(name)).values()) == ROWS.get(name, SIZE)


@pytest.mark.parametrize("name", HEIGHTS)
def test_points_are_as_high_as_their_numbers(name: str) -> None:
    points = max((one for one in drawn(name).iter() if "mark-symbol role-mark" in one.get("class", "")), key=len)
    below = [float(point.get("transform", "").split(",")[1].rstrip(")")) for point in points]
    assert np.corrcoef(below, HEIGHTS[name])[0, 1] < -0.9999


def look(path: ElementTree.Element) -> tuple[str | None, str]:
    """The colour of a mark or of the symbol of a legend, and the dashes of its line."""
    colours = [path.get("fill"), path.get("stroke")]
    dashes = path.get("stroke-dasharray", "1,0")
    return next((one for one in colours if one not in (None, "none", "transparent")), None), dashes


@pytest.mark.parametrize("name", LEGENDS)
def test_marks_look_as_the_legend_says(name: str) -> None:
    figure, compared = drawn(name), 0
    paths = [one for one in figure.iter() if one.tag.endswith("}path")]
    for entry in (one for one in figure.iter() if "role-legend-entry" in one.get("class", "").split()):
        symbols = [one for one in entry.iter() if one in paths and one.get("transform")]
        words = ["".join(one.itertext()) for one in entry.iter() if one.tag.endswith("}text")]
        for symbol, word in zip(symbols, words, strict=True):
            named = re.compile(rf"(^|; ){LEGENDS[name]}: {re.escape(word)}(;|$)")
            told = 1 if word.endswith("(dashed)") else 2  # which says its dashes
            looks = {look(mark)[:told] for mark in paths if named.search(mark.get("aria-label", ""))}
            assert looks <= {look(symbol)[:told]}, word
            compared += len(looks)
    assert compared > 1


@pytest.mark.parametrize("name", FIGURES)
def test_what_a_colour_means_is_told_by_a_legend_an_axis_or_words_beside_it(name: str) -> None:
    layers = chart(name).to_dict()["layer"]
    coloured = {layer["encoding"].get("color", {}).get("field") for layer in layers} - {None, "ink"}
    of_axes = {layer["encoding"].get(axis, {}).get("field") for layer in layers for axis in "xy"}
    written = [layer["encoding"] for layer in layers if layer["mark"]["type"] == "text"]
    of_words = {encoding.get(by, {}).get("field") for encoding in written for by in ("text", "color")}
    assert coloured <= of_axes | of_words | {"colour"} or "color" in " ".join(labels(drawn(name), "legend"))
