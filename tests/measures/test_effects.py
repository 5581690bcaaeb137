"""Effects of made-up windows: what they are by their definitions."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from attn_core.analysis.one_text import Analysis, analyze_reading
from attn_core.analysis.reading import read
from attn_core.measures.effects import bounds, effect_values
from attn_core.models.records import LoadedModel
from attn_core.numerics.leave_one_out import interval_of_logarithm, sizes, times
from attn_core.similarity.strong_pairs import Settings
from attn_core.texts.documents import read_document
from tests.families import TEXT


@pytest.fixture(scope="module")
def analysis(tiny_model: Callable[[str], LoadedModel]) -> Analysis:
    """One window."""
    return analyze_reading(read(tiny_model("bert"), read_document(TEXT * 2), window=1), Settings(share=0.05))


def over(values: Sequence[float] | np.ndarray) -> np.ndarray:
    """The mean of texts of one size, over all and without each."""
    taken = times(np.arange(len(values)))
    return taken @ np.asarray(values) / taken.sum(axis=1)


def bounds_of(effect: str, values: np.ndarray, texts: int = 4, error: float = 0.0) -> tuple[float, float]:
    return bounds({effect: values}, sizes(np.arange(texts), np.ones(texts)), error)[effect]


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
    attention = late["separator_attention"] / late["chance_separator_attention"]
    assert effects["separators"] == pytest.approx(attention.mean())
    assert effects["noise"] == pytest.approx(heads.groupby("layer")["noise_rate"].median().mean(), rel=1e-6)
    assert effects["repeating"] == pytest.approx(layers["repeating_heads"].mean())
    assert effects["distinct"] == pytest.approx(layers["anchor_uniqueness"].mean())


def test_no_share_has_a_bound_beyond_0_or_1() -> None:
    low, high = bounds_of("distinct", over([0.0, 0.0, 0.0, 0.9]))
    assert low == 0 < 0.9 / 4 < high < 1


def test_a_change_is_bounded_as_a_ratio() -> None:
    change = over([-0.5, -0.2, 0.1, 0.4])
    expected = interval_of_logarithm(1 + change, sizes(np.arange(4), np.ones(4)))
    assert bounds_of("reach", change) == pytest.approx([bound - 1 for bound in expected])


@pytest.mark.parametrize("texts", [4, 8])
def test_the_noise_of_few_texts_is_covered_however_uneven_it_is(texts: int) -> None:
    """Of texts as skewed as those of novels; plain bounds cover 84 to 88 of 100."""
    rng, mean, covered = np.random.default_rng(4), np.exp(0.8**2 / 2), 0
    for _ in range(400):
        low, high = bounds_of("noise", over(rng.lognormal(0, 0.8, texts)), texts)
        covered += low <= mean <= high
        assert 0 < low < high
    assert 0.88 <= covered / 400 <= 0.97


def test_noise_that_one_text_alone_has_has_no_bounds() -> None:
    assert np.isnan(bounds_of("noise", over([0.0, 0.0, 0.0, 0.1]))).all()


def test_the_noise_is_uncertain_by_its_reference_texts_too() -> None:
    values = over([0.1, 0.2, 0.3, 0.4])
    (low, high), (lower, higher) = (bounds_of("noise", values, error=error) for error in (0.0, 0.1))
    assert lower < low and high < higher
    assert bounds_of("separators", values, error=0.1) == (low, high)
