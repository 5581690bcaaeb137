"""Small made-up passages and strong pairs, and plain loops over pairs to check every measure against."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from attn_core.measures.tally import Count, MeasuredWindow, Tally
from attn_core.measures.window_counts import add_up, count_window
from attn_core.models.head_outputs import HeadOutputs
from attn_core.similarity.noise_counts import Noise
from attn_core.similarity.strong_pairs import StrongPairs
from attn_core.texts.documents import Document
from attn_core.texts.passages import Passage

Pair = tuple[int, int]
Property = Callable[[StrongPairs, Pair], float | np.ndarray]
WORDS = ("tide", "rope", ".", "boat", "##s", "pier", "sea")
LAYERS, HEADS = 2, 2
GRID = list(product(range(LAYERS), range(HEADS)))


def draw_whole_outputs(data: st.DataObject, tokens: int) -> np.ndarray:
    """Head outputs of small whole numbers in few dimensions, (layer, head, token, d_head) float32: most pairs tie."""
    shape = (data.draw(st.integers(1, 2)), data.draw(st.integers(1, 3)), tokens, data.draw(st.integers(1, 3)))
    highest = data.draw(st.sampled_from([0, 1, 5]))
    values = np.random.default_rng(data.draw(st.integers(0, 2**32))).integers(-highest, highest, shape, endpoint=True)
    return values.astype(np.float32)


def made_passage(
    ids: Sequence[int],
    sentences: Sequence[int] | None = None,
    special: Sequence[int] = (),
    separators: Sequence[int] = (),
    index: int = 0,
) -> Passage:
    """A passage of these token ids; `special` and `separators` are positions; one sentence by default."""
    n = len(ids)
    words = [WORDS[i % len(WORDS)] for i in ids]
    starts = np.cumsum([0, *(len(word) + 1 for word in words[:-1])])
    ends = starts + [len(word) for word in words]
    is_special = np.isin(np.arange(n), special)
    return Passage(
        document=Document(" ".join(words), ((0, int(ends[-1])),)),
        index=index,
        token_ids=np.array(ids),
        tokens=tuple(words),
        starts=np.where(is_special, -1, starts),
        ends=np.where(is_special, -1, ends),
        sentences=np.zeros(n, dtype=int) if sentences is None else np.array(sentences),
        pretokens=np.where(is_special, -1, np.arange(n)),
        is_special=is_special,
        is_separator=np.isin(np.arange(n), separators),
    )


def made_pairs(passage: Passage, chosen: Sequence[Sequence[Sequence[Pair]]], with_special: bool = True) -> StrongPairs:
    """Strong pairs as written down: layer -> head -> pairs."""
    ends = np.array(chosen)
    eligible = np.ones(len(passage), dtype=bool) if with_special else ~passage.is_special
    return StrongPairs(passage, eligible, ends[..., 0], ends[..., 1], np.ones(ends.shape[:-1]))


def random_choice(
    passage: Passage, strong: int, seed: int, with_special: bool = True, shape: tuple[int, int] = (LAYERS, HEADS)
) -> StrongPairs:
    """Heads that choose `strong` of all pairs at random."""
    rng = np.random.default_rng(seed)
    none = made_pairs(passage, np.empty((*shape, 0, 2), dtype=int), with_special)
    pairs = np.array(all_pairs(none))
    picks = [rng.choice(len(pairs), strong, replace=False) for _ in range(shape[0] * shape[1])]
    first, second = np.moveaxis(pairs[np.array(picks)].reshape(*shape, strong, 2), -1, 0)
    return replace(none, first=first, second=second, similarity=rng.normal(size=first.shape))


def made_noise(window: StrongPairs) -> Noise:
    """Half of all unrelated pairs pass."""
    looked = np.array([100, 80])
    return Noise(np.broadcast_to(looked[:, None, None] // 2, (2, *window.shape[:2])), looked)


def measured(window: StrongPairs, received: np.ndarray | None = None, even: np.ndarray | None = None) -> MeasuredWindow:
    """A window as statistics are counted of it; by default even attention to all, and vectors of one length."""
    ones = np.ones((*window.shape[:2], tokens := len(window.passage), 1), dtype=np.float32)
    even = np.full((len(ones), tokens), 1 / tokens) if even is None else even
    output = HeadOutputs(ones, ones[..., 0] / tokens if received is None else received, None, even)
    return MeasuredWindow(window, output, made_noise(window), "dot")


def heads_of(windows: Iterable[MeasuredWindow]) -> pd.DataFrame:
    """The heads table of one window or more."""
    return add_up(map(count_window, windows)).heads


def value_and_chance(
    count: Callable[[MeasuredWindow], Count], windows: Sequence[StrongPairs]
) -> tuple[np.ndarray, np.ndarray]:
    """A statistic of made-up windows and its chance level, (layer, head) both."""
    tally = Tally()
    tally.add_each("it", [count(measured(window)) for window in windows])
    shape, chance = windows[0].shape[:2], tally.chance("it")
    return tally.value("it").reshape(shape), np.repeat(chance, shape[0] * shape[1] // len(chance)).reshape(shape)


def all_pairs(window: StrongPairs) -> list[Pair]:
    """Every pair that could have been chosen."""
    return list(combinations(np.flatnonzero(window.eligible).tolist(), 2))


def chosen_pairs(window: StrongPairs, layer: int, head: int) -> list[Pair]:
    return list(zip(window.first[layer, head].tolist(), window.second[layer, head].tolist(), strict=True))


def mean_over_strong(windows: Sequence[StrongPairs], of: Property, layer: int, head: int) -> np.ndarray:
    """The mean of a property over a head's strong pairs of all windows."""
    return np.mean([of(window, pair) for window in windows for pair in chosen_pairs(window, layer, head)], axis=0)


def mean_over_all(windows: Sequence[StrongPairs], of: Property) -> np.ndarray:
    """The mean of a property over all pairs; windows weigh by their strong pairs."""
    means = [np.mean([of(window, pair) for pair in all_pairs(window)], axis=0) for window in windows]
    return np.average(means, axis=0, weights=[window.shape[2] for window in windows])


@st.composite
def passages(draw: st.DrawFn, max_tokens: int = 12) -> Passage:
    """Any passage in which at least two tokens are not special."""
    n = draw(st.integers(2, max_tokens))
    positions = st.lists(st.integers(0, n - 1), unique=True)
    steps = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    sentences = np.cumsum(steps) - draw(st.integers(0, 1))  # the first ones may belong to none: -1
    return made_passage(
        ids=draw(st.lists(st.integers(0, 4), min_size=n, max_size=n)),
        sentences=np.maximum(sentences, -1).tolist(),
        special=draw(positions.filter(lambda chosen: len(chosen) <= n - 2)),
        separators=draw(positions),
    )


@st.composite
def windows(draw: st.DrawFn, max_windows: int = 3) -> list[StrongPairs]:
    """The windows of a text, each with strong pairs chosen at random."""
    with_special = draw(st.booleans())
    made = []
    for index, passage in enumerate(draw(st.lists(passages(), min_size=1, max_size=max_windows))):
        n = len(passage) if with_special else int((~passage.is_special).sum())
        strong = draw(st.integers(1, n * (n - 1) // 2))
        seed = draw(st.integers(0, 2**16))
        made.append(random_choice(replace(passage, index=index), strong, seed, with_special))
    return made
