"""What taking parts of a text out leaves, by the definitions."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

from attn_core.analysis.one_text import Analysis, analyze_reading
from attn_core.analysis.reading import read
from attn_core.findings.bars import BARS, BY_EFFECT
from attn_core.measures.effects import COLUMNS, WIDEN
from attn_core.measures.jackknife import (
    BLOCKS,
    LEAST_SPREAD,
    PartByPart,
    counted_in_parts,
    effects_of_parts,
    jackknifed,
)
from attn_core.models.records import LoadedModel
from attn_core.numerics.poisson_bootstrap import interval_of_mean
from attn_core.similarity.strong_pairs import Settings
from attn_core.texts.documents import read_document
from tests.families import TEXT


@pytest.fixture(scope="module")
def analysis(tiny_model: Callable[[str], LoadedModel]) -> Analysis:
    """One window."""
    return analyze_reading(read(tiny_model("bert"), read_document(TEXT * 2), window=1), Settings(share=0.05))


def test_every_effect_has_bars_and_an_interval_around_it(analysis: Analysis) -> None:
    effects = analysis.effects
    assert tuple(effects.columns) == COLUMNS
    assert set(effects["effect"]) == {bars.effect for bars in BARS}
    assert (effects["low"] <= effects["value"]).all() and (effects["value"] <= effects["high"]).all()
    units = effects.set_index("effect")["units"]
    assert units["noise"] == len(analysis.reading.references) == 4
    assert (units.drop("noise") == BLOCKS).all()


def test_a_text_of_many_windows_takes_one_out_at_a_time(analysis: Analysis) -> None:
    effects = effects_of_parts(counted_in_parts(analysis.measured * BLOCKS)[1].without_each_part())
    assert set(effects["over"]) == {"windows", "unrelated texts"}
    same = effects[effects["effect"] != "noise"]
    np.testing.assert_allclose(same["low"], same["high"], atol=1e-9)  # windows that say the same leave no doubt


def test_the_jackknife_of_a_mean_is_the_interval_of_the_mean() -> None:
    numbers = np.random.default_rng(0).normal(size=8)
    without = [np.delete(numbers, at).mean() for at in range(len(numbers))]
    values = np.array([numbers.mean(), *without])
    assert jackknifed(values, widen=1.0) == pytest.approx(interval_of_mean(numbers))
    low, high = jackknifed(values, widen=2.0)
    assert high - low == pytest.approx(2 * np.ptp(interval_of_mean(numbers)))


def test_the_noise_of_one_text_is_never_surer_than_texts_differ() -> None:
    """Four texts that agree by luck; over them the interval is that of the logarithm."""

    def told(*each: float) -> pd.Series:
        ones = {name: np.ones(9) for name in WIDEN} | {"noise": np.full(9, np.mean(each))}
        return effects_of_parts(PartByPart(ones, ones, np.array(each), "parts")).set_index("effect").loc["noise"]

    agreed, apart, none = told(0.3, 0.3, 0.3, 0.3), told(0.1, 0.2, 0.4, 0.8), told(0, 0, 0, 0)
    factor = np.exp(t.ppf(0.975, 3) * LEAST_SPREAD / 2)
    assert (agreed["low"], agreed["high"]) == pytest.approx((0.3 / factor, 0.3 * factor))
    assert apart["high"] / apart["value"] == pytest.approx(apart["value"] / apart["low"])
    assert apart["high"] / apart["value"] == pytest.approx(np.exp(t.ppf(0.975, 3) * np.log(2) * np.sqrt(5 / 3) / 2))
    assert none["low"] == none["value"] == 0 and 0 < none["high"] < BY_EFFECT["noise"].against
    assert np.isnan(told(0.3)["high"])
