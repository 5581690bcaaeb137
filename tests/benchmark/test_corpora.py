"""The trial that the bars are chosen by: on counts whose verdicts are known, and in short on tiny networks."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from attn_core.benchmark import coverage
from attn_core.benchmark.coverage import kept_counts
from attn_core.benchmark.verdicts import NETWORK, TRIED, corpora, needed, told, trial
from attn_core.findings.bars import BARS, BY_EFFECT
from attn_core.models.files import ModelSpec
from attn_core.texts.documents import samples

TEXTS = [text for sample in samples() if sample.language == "en" for text in (sample.text[:300], sample.text[300:600])][
    :8
]


def rows(effect: str, lows: list[float], highs: list[float], size: int = 4) -> pd.DataFrame:
    """A corpus a network, of one null and depth."""
    bars = BY_EFFECT[effect]
    sides = [
        "paper" if low > bars.paper else "against" if high < bars.against else "between"
        for low, high in zip(lows, highs, strict=True)
    ]
    of = {"effect": effect, "size": size, "null": "untrained", "layers": 6, "seed": range(len(lows))}
    return pd.DataFrame(of).assign(low=lows, high=highs, side=sides)


def test_a_share_is_of_corpora_and_its_error_of_networks() -> None:
    lows = [2.5] + [1.0] * 9
    (row,) = told(rows("separators", lows, [low + 0.2 for low in lows])).to_dict("records")
    assert (row["networks"], row["paper"], row["against"]) == (10, 0.1, 0)
    assert binom.cdf(1, 10, row["paper_bound"]) == pytest.approx(0.05)
    assert (1 - row["against_bound"]) ** 10 == pytest.approx(0.05), "none of ten leaves room for 26 of 100"


def test_the_bars_that_are_needed_leave_out_one_corpus_in_twenty_at_most() -> None:
    lows = np.linspace(0.5, 1.5, 21).tolist()
    made = pd.concat([rows("separators", lows, [3.0] * 21), rows("separators", [1.0] * 21, [0.9] * 21, size=10)])
    (row,) = needed(made).to_dict("records")
    assert (row["paper"], row["against"]) == pytest.approx((1.45, 0.9))
    assert (np.array(lows) > row["paper"] + 1e-9).mean() <= 0.05
    negative = rows("reach", [-0.9] * 21, (-np.linspace(0.1, 0.3, 21)).tolist())
    assert needed(negative)["paper"].item() == pytest.approx(-0.29), (
        "of a claim that the effect is small the upper bound"
    )


def test_the_trial_on_tiny_networks_is_counted_once_and_gives_no_more_verdicts_than_it_may(
    tiny_folder: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = ModelSpec(str(tiny_folder("bert")))
    first = trial([spec], [1, 2], TEXTS, tmp_path)
    monkeypatch.setattr(coverage, "load", lambda _: pytest.fail("it is counted again"))
    pd.testing.assert_frame_equal(trial([spec], [1, 2], TEXTS, tmp_path), first)
    assert len(first.groupby(NETWORK)) == 4 and set(first["size"]) == {4}
    assert len(first) == 4 * 2 * len(BARS)  # two corpora of four texts each
    table = told(first)
    assert set(table["effect"]) == {bars.effect for bars in TRIED}
    levels = table["effect"].isin(["later_reach", "reach", "separators"])
    assert (table.loc[levels, ["paper", "against"]] == 0).all(axis=None)


def test_corpora_share_no_text_and_texts_add_up(tiny_folder: Callable[[str], Path], tmp_path: Path) -> None:
    counts = kept_counts(ModelSpec(str(tiny_folder("bert")), twin=("permuted", 1)), TEXTS, tmp_path)
    whole, two = (pd.concat(corpora(counts, (size,))) for size in (8, 4))
    assert len(two) == 2 * len(whole)
    halves = two[two["effect"] == "repeating"]["value"]
    assert halves.mean() == pytest.approx(whole[whole["effect"] == "repeating"]["value"].item())
