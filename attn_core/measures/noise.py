"""How often are tokens of unrelated texts as similar as strong pairs? What is left beyond that is signal."""

import numpy as np

from attn_core.measures.tally import Count, Tally, Window

BY_TEXT = "noise_by_text"  # what is counted of a window: the noise rate follows from it


def noise_count(window: Window) -> Count:
    """The pairs with each reference text that are as similar as strong pairs, (text, layer, head).

    Chance: as many as there would be if they were as often as similar as the window's own pairs, (text,).
    """
    share = window.pairs.shape[2] / window.pairs.possible
    return Count(window.noise.reached, window.noise.looked * share, 1.0)


def noise_rate(tally: Tally) -> tuple[np.ndarray, np.ndarray]:
    """How often tokens of reference texts are as similar as strong pairs, over how often own ones are, (R, H); and 1.

    0: never; 1, the chance level: the text makes no difference. NaN where the model reads no reference text. The definition
    is ours.
    """
    return _rate(*noise_by_text(tally)), np.ones(1)


def noise_by_text(tally: Tally) -> tuple[np.ndarray, np.ndarray]:
    """How many pairs with each text are as similar, (R, text, H), and how many by chance, (R, text, 1)."""
    by_chance = tally.chances(BY_TEXT) * tally.weights(BY_TEXT)
    reached = tally.values(BY_TEXT) * tally.weights(BY_TEXT)
    return reached.reshape(*by_chance.shape, -1), by_chance[..., None]


def without_each_text(tally: Tally) -> list[np.ndarray]:
    """The noise rate without each of the reference texts that were looked at, (R, H) each."""
    reached, by_chance = noise_by_text(tally)
    texts = np.flatnonzero(by_chance[0, :, 0])
    return [_rate(*(np.delete(part, text, axis=1) for part in (reached, by_chance))) for text in texts]


def signal_to_noise(tally: Tally) -> tuple[np.ndarray, np.ndarray]:
    """-10 log10(noise rate) in decibels, (R, H), and its chance level 0.

    Where no unrelated pair passed, as if one had: the pairs that were read allow no finer estimate.
    """
    reached, by_chance = (part.sum(axis=1) for part in noise_by_text(tally))
    with np.errstate(invalid="ignore", divide="ignore"):
        return -10 * np.log10(np.where(by_chance > 0, np.maximum(reached, 1) / by_chance, np.nan)), np.zeros(1)


def _rate(reached: np.ndarray, by_chance: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore", divide="ignore"):
        return reached.sum(axis=1) / by_chance.sum(axis=1)
