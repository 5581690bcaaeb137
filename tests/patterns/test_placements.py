"""A pattern at other places: against brute force, and how often patterns of no kind pass."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import binom

from attn_core.models.records import LoadedModel
from attn_core.patterns import placements as placing
from attn_core.patterns.pair_scores import see
from attn_core.patterns.placements import Placements, placements
from attn_core.patterns.scores import MOST, like_distances, percentiles, percentiles_at
from attn_core.patterns.word_maps import WordOutputs, read_words
from attn_core.similarity.words import find_words
from attn_core.texts.documents import read_document, samples
from attn_core.texts.passages import read_passages

PATTERNS = 60


def made_up(words: int, seed: int = 0) -> WordOutputs:
    """Vectors with lengths and a common direction, as head outputs have."""
    generator = np.random.default_rng(seed)
    z = generator.normal(size=(2, 3, words, 8)) + 1.0
    return WordOutputs(z, np.zeros((2, 3, words, words)))


def test_every_place_has_the_score_of_its_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    outputs, pairs = made_up(25), np.array([(3, 9), (20, 4), (9, 24), (11, 12)])
    monkeypatch.setattr(placing, "AT_ONCE", 100)  # some places at a time
    placed = placements([(0, outputs, pairs.tolist())], "cosine", draws=40, seed=1)
    shifts = np.concatenate([[0], np.random.default_rng(1).integers(0, 25, 40)])
    assert {0, 5} < set(shifts.tolist())
    for shift, scores in zip(shifts.tolist(), placed.scores, strict=True):
        moved = np.sort((pairs + shift) % 25, axis=1)
        for layer in range(2):
            exact = percentiles(outputs.of_layer(layer)[1], moved).mean(axis=1)
            assert scores[layer] == pytest.approx(exact, abs=1e-6)
    seen = see([(0, outputs, pairs.tolist())])
    assert seen is not None
    assert seen.heads("cosine", placed)["score"].to_numpy() == pytest.approx(placed.scores[0].ravel(), abs=1e-6)


def test_of_many_pairs_some_stand_for_all() -> None:
    maps = made_up(220).of_layer(0)[1]
    low, high = like_distances(60, 220)
    assert sum(220 - distance for distance in range(low, high + 1)) > 2 * MOST
    pairs = np.array([(at, at + 60) for at in range(160)])
    assert np.abs(percentiles_at(maps, np.array([60]))[0] - percentiles(maps, pairs)).max() < 0.05


def test_windows_move_apart_and_a_pattern_everywhere_is_nowhere_special() -> None:
    outputs = made_up(12)
    every = list(combinations(range(12), 2))
    placed = placements([(0, outputs, every), (3, made_up(14, 1), [])], "dot", draws=50)
    assert (placed.p_adjusted == 1).all() and (placed.p == 1).all()
    two = [(0, outputs, [(1, 5)]), (3, made_up(14, 1), [(2, 8)])]
    assert len(np.unique(placements(two, "dot").scores[:, 0, 0])) > 14  # 12 x 14 places


def test_a_head_that_sees_a_pattern_passes() -> None:
    outputs = made_up(60)
    pairs = [(at, at + 4) for at in range(0, 50, 5)]
    for a, b in pairs:
        outputs.z[1, 2, b] = outputs.z[1, 2, a] + 0.1 * outputs.z[1, 2, b]
    placed = placements([(0, outputs, pairs)], "cosine")
    assert np.argwhere(placed.p_adjusted < 0.05).tolist() == [[1, 2]]
    others = placed.on_other_words
    assert others is not None and others.score > 0.9 > others.high


def test_what_the_words_that_chose_take_on_average_is_given_back_to_the_bounds() -> None:
    places = np.array([0.3, 0.4, 0.4, 0.5])  # a tenth below chance
    below, above = (
        Placements(np.zeros((5, 1, 1)), np.array([0.9, *(places + higher)]), 0.8).on_other_words for higher in (0, 0.2)
    )
    assert below is not None and above is not None
    assert below == pytest.approx((0.8, 0.3075 + 0.1, 0.4925 + 0.1))
    assert above == pytest.approx((0.8, 0.5075, 0.6925))  # above chance nothing is taken off


def test_a_pattern_that_cannot_be_split_has_no_number_for_it() -> None:
    star = placements([(0, made_up(40), [(5, at) for at in range(10, 20)])], "dot")
    assert star.on_other_words is None
    assert Placements(np.zeros((3, 1, 1)), None).on_other_words is None


@pytest.mark.long
@pytest.mark.model
@pytest.mark.slow
@pytest.mark.parametrize("size", [4, 6, 10, 30])
def test_patterns_of_no_kind_are_at_chance_on_a_real_text(size: int, minilm: LoadedModel) -> None:
    document = read_document(samples()[1].text[:800])
    passage = read_passages(document, minilm.tokenizer, minilm.max_tokens)[0]
    words = find_words(passage)
    whole, generator = read_words(minilm, passage, words), np.random.default_rng(size)
    outputs = WordOutputs(whole.z[[1, 4]], whole.attention[[1, 4]])  # 24 heads, to be quick
    passed, scores, inside = 0, [], 0
    for number in range(PATTERNS):
        chosen = np.sort(generator.choice(len(words), size, replace=False)).tolist()
        placed = placements([(0, outputs, list(combinations(chosen, 2)))], "centred", draws=99, seed=number)
        passed += bool((placed.p_adjusted < 0.05).any())
        others = placed.on_other_words
        assert others is not None
        scores.append(others.score)
        inside += others.low <= others.score <= others.high
    assert passed <= binom.ppf(0.999, PATTERNS, 0.05)
    assert inside >= binom.ppf(0.001, PATTERNS, 0.95)
    error = np.std(scores) / np.sqrt(PATTERNS)
    assert abs(np.mean(scores) - 0.5) < 3 * error
