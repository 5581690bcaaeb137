"""Effects of made-up windows: what they are by their definitions."""

from collections.abc import Callable

import numpy as np
import pytest

from attn_core.analysis.one_text import Analysis, analyze_reading
from attn_core.analysis.reading import read
from attn_core.measures.effects import effect_values, effects_over_texts, quarter, thirds
from attn_core.models.records import LoadedModel
from attn_core.numerics.poisson_bootstrap import weights
from attn_core.similarity.strong_pairs import Settings
from attn_core.texts.documents import read_document
from tests.families import TEXT


@pytest.fixture(scope="module")
def analysis(tiny_model: Callable[[str], LoadedModel]) -> Analysis:
    """One window."""
    return analyze_reading(read(tiny_model("bert"), read_document(TEXT * 2), window=1), Settings(share=0.05))


def test_a_third_and_a_quarter_of_the_layers_are_one_at_least() -> None:
    assert [(thirds(layers), quarter(layers)) for layers in (1, 3, 6, 12, 24)] == [
        (1, 1),
        (1, 1),
        (2, 1),
        (4, 3),
        (8, 6),
    ]


def test_the_effects_are_what_the_tables_say(analysis: Analysis) -> None:
    values, _ = effect_values(analysis.counted.tally, analysis.shape)
    effects = {name: value[0] for name, value in values.items()}
    layers, heads = analysis.layers, analysis.statistics
    third = max(1, len(layers) // 3)
    distance = layers["mean_distance"]
    assert effects["reach"] == pytest.approx(distance.iloc[-1] / distance.iloc[0] - 1)
    assert effects["own_pairs"] == pytest.approx(1 - layers["head_overlap"].mean())
    share = layers["same_sentence_share"] / layers["chance_same_sentence_share"]
    assert effects["sentences"] == pytest.approx(share.iloc[-third:].mean() / max(share.iloc[:third].mean(), 1))
    late = layers.iloc[-max(1, len(layers) // 4) :]
    assert effects["separators"] == pytest.approx(
        (late["separator_attention"] / late["chance_separator_attention"]).mean()
    )
    assert effects["noise"] == pytest.approx(heads.groupby("layer")["noise_rate"].median().mean(), rel=1e-6)
    assert effects["repeating"] == pytest.approx(layers["repeating_heads"].mean())
    assert effects["distinct"] == pytest.approx(layers["anchor_uniqueness"].mean())


def test_no_interval_is_beyond_what_a_value_can_be() -> None:
    values = {"sentences": np.array([0.1, *np.linspace(-0.5, 0.7, 30)])}
    of_texts = effects_over_texts(values, {"sentences": np.ones(1)}, np.ones(4)).iloc[0]
    assert of_texts["low"] == 0 < of_texts["value"] < of_texts["high"]


@pytest.mark.parametrize("texts", [4, 8])
def test_the_noise_of_few_texts_is_covered_however_uneven_it_is(texts: int) -> None:
    """Of texts as skewed as those of novels; plain bounds cover 84 to 88 of 100."""
    rng, mean, covered = np.random.default_rng(4), np.exp(0.8**2 / 2), 0
    for seed in range(400):
        values = weights(np.arange(texts), 200, seed)
        with np.errstate(invalid="ignore"):
            noise = {"noise": (values @ rng.lognormal(0, 0.8, texts)) / values.sum(axis=1)}
        row = effects_over_texts(noise, {"noise": np.ones(1)}, np.ones(texts)).iloc[0]
        covered += row["low"] <= mean <= row["high"]
        assert 0 < row["low"] < row["value"] < row["high"]
    assert 0.90 <= covered / 400 <= 0.97


def test_noise_that_no_text_has_is_bounded_all_the_same() -> None:
    values = weights(np.arange(5), 50, 0) @ np.array([0.0, 0.0, 0.0, 0.0, 0.1])
    row = effects_over_texts({"noise": values}, {"noise": np.ones(1)}, np.ones(5)).iloc[0]
    assert np.isfinite([row["low"], row["high"]]).all() and row["low"] < row["value"] < row["high"]
