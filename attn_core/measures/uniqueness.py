"""Has each head an anchor of its own? Distinct anchors within a layer, beside what made-up heads give."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from attn_core.measures.random_pairs import generator_of, random_pairs
from attn_core.measures.tally import Count, Tally, counted_alike
from attn_core.measures.token_coverage import NONE, PairEnds, Ranking, TokenCoverage, Touching, token_numbers, touched
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


def uniqueness_count(window: StrongPairs, touching: TokenCoverage, by: Ranking = "coverage") -> Count:
    """Distinct anchors / heads by layer within one window; windows count alike, since more text brings heads together.

    Chance: heads as concentrated as they are, each around places of its own, drawn at random, see `permuted`: so a window has
    one chance level wherever it stands.
    """
    return count_of_distinct(touching, list(_moved(window, touching, DRAWS)), by)


def count_of_distinct(touching: TokenCoverage, moved: Sequence[TokenCoverage], by: Ranking = "coverage") -> Count:
    """How the distinct anchors of each layer add up beside those of made-up models, whose tokens changed places.

    A window weighs the same however many there are.
    """
    drawn = [distinct(one.anchors(by)) for one in moved]
    heads = touching.pairs.shape[1]
    return Count(DRAWS * distinct(touching.anchors(by)), np.sum(drawn, axis=0) * (DRAWS / len(moved)), DRAWS * heads)


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
        for window in windows:
            count = uniqueness_count(window, touching := touched(window), by)
            tally.add_all(counted_alike({"anchor_uniqueness": count}, touching.strong))
    at_random = [distinct(touched(window).anchors(by)) for drawn in random_pairs(windows, DRAWS) for window in drawn]
    return pd.DataFrame(
        {
            "layer": np.arange(1, windows[0].shape[0] + 1),
            "anchor_uniqueness": tally.value("anchor_uniqueness"),
            "random_pairs": np.mean(at_random, axis=0) / windows[0].shape[1],
            "own_places": tally.chance("anchor_uniqueness"),
        }
    )


def permuted(window: StrongPairs, draws: int) -> Iterator[np.ndarray]:
    """The number of the token at every position of every head, (row, N), where tokens change places at random, anew in each.

    The draws hang on the window's tokens alone. What stands where no pair may end means nothing.
    """
    rng, rows = generator_of(window.passage), len(window.rows[0])
    tokens, _ = token_numbers(window.passage, window.eligible)
    place = np.maximum(window.eligible.cumsum() - 1, 0)
    for _ in range(draws):
        drawn = np.tile(tokens[window.eligible], (rows, 1))
        yield rng.permuted(drawn, axis=1, out=drawn).take(place, axis=1)  # in place: twice as fast


def _moved(window: StrongPairs, touching: TokenCoverage, draws: int) -> Iterator[TokenCoverage]:
    """What the tokens touch where they change places at random."""
    first, second = window.rows
    ends, vocabulary = PairEnds(first, second, len(window.passage)), len(touching.token_ids)
    used = ends.used()
    for tokens in permuted(window, draws):
        pairs = Touching(ends, tokens, vocabulary).pairs(used).astype(np.int64)
        yield replace(touching, pairs=pairs.reshape(touching.pairs.shape))
