"""Noise of made-up windows, from its definition."""

from dataclasses import replace

import numpy as np
import pytest

from attn_core.measures.noise import BY_TEXT, noise_count, noise_rate, of_median_heads, without_each_text
from attn_core.measures.statistics import BY_NAME
from attn_core.measures.tally import MeasuredWindow, Tally
from attn_core.similarity.noise_counts import Noise
from tests.measures.made_up import LAYERS, heads_of, made_passage, measured, random_choice


def counted(window: MeasuredWindow) -> Tally:
    tally = Tally()
    tally.add_each(BY_TEXT, [noise_count(window)])
    return tally


def with_noise(strong: int, reached: list[int], looked: list[int]) -> MeasuredWindow:
    """A window of ten pairs; reached: by every head, of each text."""
    window = measured(random_choice(made_passage(range(5)), strong, seed=0))
    every = np.broadcast_to(np.array(reached)[:, None, None], (len(reached), LAYERS, 2))
    return replace(window, noise=Noise(every, np.array(looked)))


def test_noise_is_the_share_of_unrelated_pairs_that_pass_over_the_share_of_strong_pairs() -> None:
    first, second = with_noise(1, [6, 0], [100, 20]), with_noise(2, [30, 20], [80, 20])
    for windows, rate in (([first], 6 / 12), ([first, second], (6 + 50) / (12 + 20))):
        heads = heads_of(windows)
        assert heads["noise_rate"].tolist() == pytest.approx([rate] * 4)
        assert heads["snr_db"].tolist() == pytest.approx([-10 * np.log10(rate)] * 4)
        assert heads[["chance_noise_rate", "chance_snr_db"]].to_numpy().tolist() == [[1.0, 0.0]] * 4


def test_where_no_unrelated_pair_passed_the_signal_is_as_if_one_had() -> None:
    window = with_noise(1, [0, 0], [100, 100])
    heads = heads_of([window, window])
    assert heads["noise_rate"].tolist() == [0.0] * 4
    assert heads["snr_db"].tolist() == pytest.approx([10 * np.log10(0.1 * 400)] * 4)


def test_where_no_reference_text_is_read_there_is_no_noise() -> None:
    heads = heads_of([with_noise(1, [0, 0], [0, 0])])
    assert heads[["noise_rate", "snr_db"]].isna().all(axis=None)


def test_signal_to_noise_has_a_value_in_every_row_of_a_study() -> None:
    tally = Tally(1)
    tally.add_each(BY_TEXT, [noise_count(with_noise(1, [50], [100]))], times=np.array([[1.0], [3.0]]))
    assert BY_NAME["snr_db"].values(tally) == pytest.approx(np.full((2, 4), -10 * np.log10(5)))


def test_the_error_over_reference_texts_is_that_of_leaving_each_out() -> None:
    tally = counted(with_noise(1, [5, 10, 0, 40], [100, 100, 0, 200]))
    assert of_median_heads(noise_rate(tally)[0], (LAYERS, 2)) == pytest.approx([55 / 40])
    without = without_each_text(tally)
    rates = np.array([50 / 30, 45 / 30, 15 / 20])
    assert without["noise_rate"] == pytest.approx(np.repeat(rates[:, None], 4, axis=1))
    assert without["snr_db"] == pytest.approx(np.repeat(-10 * np.log10(rates)[:, None], 4, axis=1))
    assert of_median_heads(without["noise_rate"], (LAYERS, 2)) == pytest.approx(rates)


def test_only_a_removed_head_has_no_noise() -> None:
    gone = np.zeros((LAYERS, 2), dtype=bool)
    gone[1, 0] = True
    tally = counted(with_noise(1, [5, 10, 40], [100, 100, 200])).without(gone)
    rates, _ = noise_rate(tally)
    assert np.isnan(rates[0]).tolist() == gone.ravel().tolist()
    assert of_median_heads(rates, (LAYERS, 2)) == pytest.approx([55 / 40])
