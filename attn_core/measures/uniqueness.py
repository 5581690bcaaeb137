"""Has each head an anchor of its own? Distinct anchors within a layer, beside what made-up heads give."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from attn_core.measures.random_pairs import generator_of, random_pairs
from attn_core.measures.tally import Count, Tally
from attn_core.measures.token_coverage import NONE, Ranking, TokenCoverage, touched
from attn_core.similarity.strong_pairs import StrongPairs

DRAWS = 5  # made-up models a window behind a chance level


def distinct(anchors: np.ndarray) -> np.ndarray:
    """Distinct anchors of every layer, (layer,); anchors: (layer, head), an index or an id of each, `NONE` does not count."""
    ordered = np.sort(anchors, axis=1)
    new = np.diff(ordered, axis=1, prepend=NONE) != 0  # no anchor is NONE, so that the first one is new
    return new.sum(axis=1)


def distinct_in_model(anchor_ids: pd.Series) -> int:
    """Different anchors of all heads; anchor_ids: one a head."""
    return int(distinct(anchor_ids.to_numpy()[None])[0])


def uniqueness_count(
    window: StrongPairs, touching: TokenCoverage, by: Ranking = "coverage", draws: int = DRAWS
) -> Count:
    """Distinct anchors / heads by layer within one window; windows count alike, since more text brings heads together.

    Chance: heads as concentrated as they are, each around places of its own, drawn at random. The draws hang on the
    window's tokens alone, so that a window has one chance level wherever it stands.
    """
    return count_of_distinct(touching, list(_moved(window, touching, generator_of(window.passage), draws)), by)


def count_of_distinct(touching: TokenCoverage, moved: Sequence[TokenCoverage], by: Ranking = "coverage") -> Count:
    """How the distinct anchors of each layer add up beside those of made-up models, whose tokens changed places."""
    drawn = [distinct(one.anchors(by)) for one in moved]
    heads = touching.pairs.shape[1]
    return Count(len(moved) * distinct(touching.anchors(by)), np.sum(drawn, axis=0), len(moved) * heads)


def uniqueness_table(
    windows: Sequence[StrongPairs], by: Ranking = "coverage", tally: Tally | None = None
) -> pd.DataFrame:
    """Uniqueness by layer beside what made-up heads give: layer, anchor_uniqueness, random_pairs, own_places.

    random_pairs: the strong pairs of every head are random pairs, so that all have the most common token or none.
    own_places: every head is as concentrated as it is, but around places of its own, drawn at random. tally: of these
    windows, where they were counted by coverage.
    """
    if tally is None:
        tally = Tally()
        tally.add_each("anchor_uniqueness", [uniqueness_count(window, touched(window), by) for window in windows])
    at_random = [distinct(touched(window).anchors(by)) for drawn in random_pairs(windows, DRAWS) for window in drawn]
    return pd.DataFrame(
        {
            "layer": np.arange(1, windows[0].shape[0] + 1),
            "anchor_uniqueness": tally.value("anchor_uniqueness"),
            "random_pairs": np.mean(at_random, axis=0) / windows[0].shape[1],
            "own_places": tally.chance("anchor_uniqueness"),
        }
    )


def _moved(
    window: StrongPairs, touching: TokenCoverage, rng: np.random.Generator, draws: int
) -> Iterator[TokenCoverage]:
    """What the tokens touch where they change places at random, in every head anew.

    A pair touches the tokens of both its ends, and one that stands at both of them once.
    """
    layers, heads, _ = window.shape
    rows, size, tokens = layers * heads, len(window.passage), len(touching.token_ids)
    row = np.arange(rows)[:, None]
    first, second = (size * row + end.reshape(rows, -1) for end in (window.first, window.second))
    used = np.bincount(first.ravel(), minlength=rows * size) + np.bincount(second.ravel(), minlength=rows * size)
    positions = np.flatnonzero(window.eligible)
    own = np.searchsorted(touching.token_ids, window.passage.token_ids[positions])
    place = np.zeros((rows, size), dtype=np.int64)
    for _ in range(draws):
        place[:, positions] = tokens * row + rng.permuted(np.tile(own, (rows, 1)), axis=1)
        flat = place.ravel()
        ends = np.bincount(flat, weights=used, minlength=rows * tokens)
        begins = flat[first]
        twice = begins[begins == flat[second]]
        pairs = ends - np.bincount(twice, minlength=rows * tokens)
        yield replace(touching, pairs=pairs.astype(np.int64).reshape(layers, heads, tokens))
