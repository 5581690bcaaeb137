"""The noise rate: the rate at which pairs with tokens of unrelated texts are as similar as strong pairs."""

import numpy as np

from attn_core.measures.tally import Count, MeasuredWindow, Tally

BY_TEXT = "noise_by_text"  # the count from which noise rates are computed


def noise_count(window: MeasuredWindow) -> Count:
    """The number of pairs with each reference text that are as similar as strong pairs, (layer, head, text).

    Chance: the number if their share were that of strong pairs among the window's own pairs, (text,).
    """
    share = window.pairs.shape[2] / window.pairs.possible
    return Count(np.moveaxis(window.noise.reached, 0, -1), window.noise.looked * share, 1.0)


def noise_rate(tally: Tally) -> tuple[np.ndarray, np.ndarray]:
    """The noise rate, (R, H), and its chance level 1: the share of pairs with reference texts that are as similar as
    strong pairs, divided by the share of strong pairs. NaN without reference texts. The definition is ours.
    """
    return _over_chance(*(part.sum(axis=1) for part in noise_by_text(tally))), np.ones(1)


def noise_by_text(tally: Tally) -> tuple[np.ndarray, np.ndarray]:
    """The number of similar pairs with each reference text, (R, text, H), and its chance level, (R, text, 1)."""
    by_chance = tally.chances(BY_TEXT) * tally.weights(BY_TEXT)
    reached = tally.values(BY_TEXT) * tally.weights(BY_TEXT)
    return reached.reshape(len(reached), -1, by_chance.shape[1]).swapaxes(1, 2), by_chance[..., None]


def without_each_text(tally: Tally) -> dict[str, np.ndarray]:
    """The noise rate and the signal-to-noise ratio over all texts without each of the n reference texts, (n, H)."""
    reached, by_chance = (part[0] for part in noise_by_text(tally))
    read = np.flatnonzero(by_chance[:, 0])
    reached, by_chance = (part.sum(axis=0) - part[read] for part in (reached, by_chance))
    return {"noise_rate": _over_chance(reached, by_chance), "snr_db": _in_decibels(reached, by_chance)}


def of_median_heads(rates: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """The median noise rate of each layer's heads, mean over layers: (R, H) -> (R,). shape: (layers, heads).

    Removed heads have no rate (NaN).
    """
    by_head = np.ma.masked_invalid(rates.reshape(-1, *shape))
    return np.ma.median(by_head, axis=-1).filled(np.nan).mean(axis=1)


def signal_to_noise(tally: Tally) -> tuple[np.ndarray, np.ndarray]:
    """The signal-to-noise ratio, -10 log10(noise rate) in dB, (R, H), and its chance level 0; 0 pairs count as one."""
    return _in_decibels(*(part.sum(axis=1) for part in noise_by_text(tally))), np.zeros(1)


def _over_chance(reached: np.ndarray, by_chance: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore", divide="ignore"):
        return reached / by_chance


def _in_decibels(reached: np.ndarray, by_chance: np.ndarray) -> np.ndarray:
    return -10 * np.log10(_over_chance(np.maximum(reached, 1), np.where(by_chance > 0, by_chance, np.nan)))
