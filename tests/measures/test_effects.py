"""Effects of made-up windows: what they are by their definitions, and what taking parts of a text out leaves."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

from attn_core.analysis.one_text import Analysis, analyze_reading
from attn_core.analysis.reading import read
from attn_core.benchmark.verdicts import twins_trial
from attn_core.findings.bars import BARS, BY_EFFECT
from attn_core.findings.verdicts import findings
from attn_core.measures.effects import (
    BLOCKS,
    COLUMNS,
    LEAST_SPREAD,
    WIDEN,
    PartByPart,
    again,
    counted_in_parts,
    effects_of_parts,
    effects_over_texts,
    quarter,
    thirds,
    without,
)
from attn_core.models.files import default_spec
from attn_core.models.records import LoadedModel
from attn_core.numerics.poisson_bootstrap import weights
from attn_core.similarity.strong_pairs import Settings
from attn_core.texts.documents import read_document, samples
from tests.families import TEXT
from tests.measures.made_up import chosen_pairs, made_pairs, made_passage, measured


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 40))
def test_pairs_that_remain_are_taken_again_from_the_strongest_on(seed: int, heads: int, pairs: int) -> None:
    rng = np.random.default_rng(seed)
    remain = rng.random((heads, pairs)) < rng.random()
    some = remain.any(axis=1)
    rows = [np.resize(at * pairs + np.flatnonzero(row), pairs) for at, row in enumerate(remain) if row.any()]
    np.testing.assert_array_equal(again(remain)[some], np.reshape(rows, (-1, pairs)))


@pytest.fixture(scope="module")
def analysis(tiny_model: Callable[[str], LoadedModel]) -> Analysis:
    """One window."""
    return analyze_reading(read(tiny_model("bert"), read_document(TEXT * 2), window=1), Settings(share=0.05))


def test_without_some_tokens_their_pairs_are_gone_and_the_others_stay_in_their_order() -> None:
    passage = made_passage(range(6))
    window = measured(made_pairs(passage, [[[(0, 1), (2, 3), (1, 4), (4, 5)], [(0, 5), (0, 1), (0, 2), (0, 3)]]]))
    left = without(window, np.array([True, *[False] * 5]))
    assert chosen_pairs(left.pairs, 0, 0) == [(2, 3), (1, 4), (4, 5), (2, 3)]
    assert chosen_pairs(left.pairs, 0, 1) == [(1, 2), (1, 4), (2, 4), (3, 4)]  # nothing of its own remains
    assert left.pairs.eligible.tolist() == [False, *[True] * 5]
    assert left.received[..., 0].max() == left.even[0] == 0
    assert (left.received[..., 1:] == window.received[..., 1:]).all()


def test_a_third_and_a_quarter_of_the_layers_are_one_at_least() -> None:
    assert [(thirds(layers), quarter(layers)) for layers in (1, 3, 6, 12, 24)] == [
        (1, 1),
        (1, 1),
        (2, 1),
        (4, 3),
        (8, 6),
    ]


def test_the_effects_are_what_the_tables_say(analysis: Analysis) -> None:
    effects = analysis.effects.set_index("effect")["value"]
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
    assert effects["repeating"] == pytest.approx((layers["repeating_heads"] - layers["chance_repeating_heads"]).mean())
    assert effects["distinct"] == pytest.approx(
        (layers["anchor_uniqueness"] - layers["chance_anchor_uniqueness"]).mean()
    )


def test_every_effect_has_bars_and_an_interval_around_it(analysis: Analysis) -> None:
    effects = analysis.effects
    assert tuple(effects.columns) == COLUMNS
    assert set(effects["effect"]) == {bars.effect for bars in BARS}
    assert (effects["low"] <= effects["value"]).all() and (effects["value"] <= effects["high"]).all()
    units = effects.set_index("effect")["units"]
    assert units["noise"] == len(analysis.reading.unrelated) == 4
    assert (units.drop("noise") == BLOCKS).all()


def test_no_interval_is_beyond_what_a_value_can_be() -> None:
    """A share of 0.97 whose parts differ by much."""
    ones = {name: np.ones(9) for name in WIDEN} | {"own_pairs": np.array([0.97, *np.linspace(0.9, 1, 8)])}
    rows = effects_of_parts(PartByPart(ones, ones, np.ones(4), "parts")).set_index("effect")
    assert rows.loc["own_pairs", "low"] < 0.97 and rows.loc["own_pairs", "high"] == 1
    values = {"sentences": np.array([0.1, *np.linspace(-0.5, 0.7, 30)])}
    of_texts = effects_over_texts(values, {"sentences": np.ones(1)}, np.ones(4)).iloc[0]
    assert of_texts["low"] == 0 < of_texts["value"] < of_texts["high"]


def test_a_text_of_many_windows_takes_one_out_at_a_time(analysis: Analysis) -> None:
    effects = effects_of_parts(counted_in_parts(analysis.measured * BLOCKS)[1].taken_out())
    assert set(effects["over"]) == {"windows", "unrelated texts"}
    same = effects[effects["effect"] != "noise"]
    np.testing.assert_allclose(same["low"], same["high"], atol=1e-9)  # windows that say the same leave no doubt


@pytest.mark.model
def test_the_real_model_repeats_more_than_heads_without_structure_and_gathers_no_more(minilm: LoadedModel) -> None:
    (sample,) = (sample for sample in samples() if sample.file == "three_topics.txt")
    analysis = analyze_reading(read(minilm, read_document(sample.text), window=1))
    effects = analysis.effects.set_index("effect")
    assert effects.loc["repeating", "low"] > 0.2
    assert effects.loc["gathering", "low"] < 0.05
    verdicts = {finding.claim: finding.verdict for finding in findings(analysis)}
    assert verdicts["C2"] == verdicts["C3"] == verdicts["C6"] == "no clear sign"


@pytest.mark.model
@pytest.mark.slow
def test_untrained_twins_get_no_clear_sign_where_structure_brings_nothing_about() -> None:
    """Twenty of them: `python -m attn_core benchmark --only verdicts`."""
    told = twins_trial(default_spec(), seeds=3)
    asked = told[told["claim"].isin(["C2", "C3", "C6"])]
    assert len(asked) == 27 and (asked["verdict"] == "no clear sign").all()
    by_structure = told[told["claim"].isin(["C1", "C4", "C5", "C7"])]
    assert by_structure["sentence"].str.contains("tructure alone can bring this about").all()


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


def test_noise_that_no_text_has_is_bounded_all_the_same() -> None:
    values = weights(np.arange(5), 50, 0) @ np.array([0.0, 0.0, 0.0, 0.0, 0.1])
    row = effects_over_texts({"noise": values}, {"noise": np.ones(1)}, np.ones(5)).iloc[0]
    assert np.isfinite([row["low"], row["high"]]).all() and row["low"] < row["value"] < row["high"]
