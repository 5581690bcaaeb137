"""Claims, verdicts and their table, on effects of made-up texts."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from attn_core.claims.claim import BY_EFFECT, CLAIMS, Claim
from attn_core.claims.effects import Difference, Effect, Effects
from attn_core.claims.table import COLUMNS, claim_rows, exceeds, verdict
from attn_core.models.baselines import CONTROLS, Control
from attn_core.numerics.leave_one_out import inclusion, sizes
from tests.claims.trial import copies_as_models, taken_for_learned

REACH, NOISE = BY_EFFECT["reach"], replace(BY_EFFECT["noise"], supported=0.2, contradicted=0.02)
SHARE = replace(BY_EFFECT["anchored"], supported=0.8, contradicted=0.4)


def effects_in(
    by_effect: dict[str, np.ndarray],
    reason: str = "",
    causal: bool = False,
    without_references: dict[str, np.ndarray] = {},  # noqa: B006
) -> Effects:
    """Effects that are means over texts; by_effect: (texts,), what each text has. reason: that none is applicable."""
    texts = len(next(iter(by_effect.values())))
    taken, weights = inclusion(np.arange(texts)), sizes(np.arange(texts), np.ones(texts))
    effects = {
        name: Effect(
            BY_EFFECT[name], taken @ of_texts / taken.sum(axis=1), weights, 1.0, reason, without_references.get(name)
        )
        for name, of_texts in by_effect.items()
    }
    return Effects(effects, np.arange(texts), causal=causal)


def made_up(level: Callable[[Claim], float], spread: float = 0.01, texts: int = 6, seed: int = 0, **given) -> Effects:
    """Every effect about a level of its own. spread: of the texts, as a share of it."""
    rng = np.random.default_rng(seed)
    return effects_in(
        {claim.effect: level(claim) * (1 + spread * rng.standard_normal(texts)) for claim in CLAIMS}, **given
    )


def rows_of(*given: object) -> pd.DataFrame:
    return claim_rows(*given).set_index("effect")  # type: ignore[arg-type]


def test_every_claim_has_an_effect_thresholds_and_a_margin() -> None:
    assert [claim.claim for claim in CLAIMS] == sorted(claim.claim for claim in CLAIMS)
    assert len(BY_EFFECT) == len(CLAIMS) == 14 and len({claim.name for claim in CLAIMS}) == 14
    for claim in CLAIMS:
        assert claim.scaled_margin > 0 and claim.supported != claim.contradicted
    falling = {claim.effect for claim in CLAIMS if claim.direction < 0}
    assert falling == {"later_reach", "reach", "attention_centralizes"}
    assert {claim.effect for claim in CLAIMS if not claim.of_pairs} == {
        "separators", "separator_trend", "attention_centralizes"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("claim", "low", "high", "says"),
    [
        (SHARE, 0.81, 0.9, "supported"), (SHARE, 0.79, 0.9, "unclear"), (SHARE, 0.5, 0.7, "unclear"),
        (SHARE, 0.1, 0.41, "unclear"), (SHARE, 0.1, 0.39, "contradicted"), (SHARE, np.nan, np.nan, "unclear"),
        (REACH, -0.3, -0.16, "supported"), (REACH, -0.3, -0.14, "unclear"), (REACH, 0.21, 0.3, "contradicted"),
        (REACH, 0.19, 0.3, "unclear"),
    ],
)  # fmt: skip
def test_the_whole_interval_decides_the_verdict(claim: Claim, low: float, high: float, says: str) -> None:
    assert verdict(claim, low, high) == says


def beyond(*differences: tuple[float, float, float], baseline: float = 0.0) -> list[Difference]:
    return [Difference(value, low, high, baseline) for value, low, high in differences]


CLEAR, NEAR, LITTLE = (0.3, 0.2, 0.4), (0.15, 0.05, 0.25), (0.05, 0.02, 0.08)


@pytest.mark.parametrize(
    ("untrained", "shuffled_weights", "says"),
    [
        (beyond(CLEAR, CLEAR, CLEAR), beyond(CLEAR, CLEAR, CLEAR), "yes"),
        (beyond(CLEAR, CLEAR, CLEAR), beyond(CLEAR, CLEAR), "unclear"),  # three seeds of each kind
        (beyond(CLEAR, CLEAR, CLEAR), [], ""),
        ([], beyond(CLEAR, CLEAR, CLEAR), ""),
        (beyond(CLEAR, CLEAR, NEAR), beyond(CLEAR, CLEAR, CLEAR), "unclear"),
        (beyond(CLEAR, CLEAR, LITTLE), beyond(CLEAR, CLEAR, CLEAR), "no"),
        (beyond(LITTLE), beyond(CLEAR), "no"),
        (beyond(CLEAR), beyond(CLEAR), "unclear"),
        (beyond(CLEAR, CLEAR, (np.nan,) * 3), beyond(CLEAR, CLEAR, CLEAR), "unclear"),
        # By less than the copies differ from each other.
        (beyond(CLEAR, CLEAR) + beyond(CLEAR, baseline=0.35), beyond(CLEAR, CLEAR, CLEAR), "unclear"),
        (beyond(CLEAR, CLEAR) + beyond(CLEAR, baseline=0.25), beyond(CLEAR, CLEAR, CLEAR), "yes"),
    ],
)
def test_a_model_has_more_than_its_copies_where_every_difference_counts(
    untrained: list[Difference], shuffled_weights: list[Difference], says: str
) -> None:
    assert exceeds(SHARE, [untrained, shuffled_weights]) == says


@pytest.mark.parametrize(
    ("differences", "says"),
    [
        (beyond(CLEAR, CLEAR, CLEAR), "yes"), (beyond(CLEAR, CLEAR), "unclear"), (beyond(LITTLE), "no"), ([], ""),
        (beyond(CLEAR, NEAR, CLEAR), "unclear"), (beyond(CLEAR, LITTLE, CLEAR), "no"),
    ],
)  # fmt: skip
def test_an_effect_needs_word_order_where_three_shuffled_texts_have_less(
    differences: list[Difference], says: str
) -> None:
    assert exceeds(SHARE, [differences]) == says


def test_the_table_has_each_effect_with_its_interval_and_its_verdict() -> None:
    references = np.array([0.1, 0.2, 0.3, 0.25])
    own = made_up(lambda claim: claim.supported, without_references={"noise": references})
    rows = claim_rows(own, {})
    assert list(rows) == list(COLUMNS) and rows["effect"].tolist() == list(BY_EFFECT)
    for row in rows.to_dict("records"):
        effect = own.by_name[row["effect"]]
        low, high = effect.bounds
        assert (row["value"], row["low"], row["high"]) == (effect.values[0], low, high)
        assert row["verdict"] == verdict(BY_EFFECT[row["effect"]], low, high) and low < row["value"] < high
    assert set(rows["more_than_untrained"]) == set(rows["needs_word_order"]) == {""}
    assert rows.filter(like="untrained_").drop(columns="more_than_untrained", errors="ignore").isna().all(axis=None)


def test_of_several_copies_there_is_the_mean_and_the_widest_interval() -> None:
    own = made_up(lambda claim: 1.5 * claim.supported, seed=1)
    copies = [made_up(lambda claim: level * claim.supported, seed=9) for level in (0.4, 0.5, 0.6)]  # noqa: B023
    pairs = {"untrained": copies, "shuffled_weights": copies}
    row = rows_of(own, pairs | {"shuffled_text": [copies[0]] * 3}).loc["separators"]
    assert row["untrained"] == pytest.approx(np.mean([one.by_name["separators"].value for one in copies]))
    alone = rows_of(copies[0], {}).loc["separators"], rows_of(copies[2], {}).loc["separators"]
    assert (row["untrained_low"], row["untrained_high"]) == (alone[0]["low"], alone[1]["high"])
    assert (row["verdict"], row["more_than_untrained"], row["needs_word_order"]) == ("supported", "yes", "yes")
    same = claim_rows(own, {kind: [own] * 3 for kind in CONTROLS})
    assert set(same["more_than_untrained"]) == set(same["needs_word_order"]) == {"unclear"}, "no width is no interval"


def test_the_reference_texts_make_differences_of_noise_less_sure() -> None:
    same, moved = np.linspace(0.9, 1.1, 8), np.linspace(1.1, 0.9, 8)
    words = []
    for theirs in (0.6 * same, 0.6 * moved):  # the same reference is left out of both
        own = made_up(lambda _: 1, seed=1, without_references={"noise": same})
        other = made_up(lambda _: 0.6, without_references={"noise": theirs})
        words.append(rows_of(own, {"shuffled_text": [other] * 3}).loc["noise", "needs_word_order"])
    assert words == ["yes", "unclear"]


def test_what_is_not_applicable_has_no_interval_and_no_words() -> None:
    own, other = (made_up(lambda claim: level * claim.supported, reason="Few.") for level in (2, 1))  # noqa: B023
    rows = claim_rows(own, {kind: [other] * 3 for kind in CONTROLS})
    assert set(rows["verdict"]) == {"not applicable"} and set(rows["reason"]) == {"Few."}
    assert rows["value"].notna().all() and rows[["low", "high"]].isna().all(axis=None)
    assert set(rows["more_than_untrained"]) == set(rows["needs_word_order"]) == {""}


def test_of_a_causal_model_chance_of_places_is_what_untrained_copies_have() -> None:
    own = made_up(lambda _: 9.0, causal=True, seed=1)
    copy, less, more = (made_up(lambda _: level, causal=True, spread=0) for level in (6.0, 5.0, 7.0))  # noqa: B023
    for few in ([], [copy], [less, more]):
        rows = rows_of(own, {"untrained": few})
        assert (rows["verdict"] == "not applicable").sum() == 4
    equal, unlike = (rows_of(own, {"untrained": copies}) for copies in ([copy] * 3, [less, copy, more]))
    for rows in (equal, unlike):
        assert rows.loc["late_sentences", ["value", "untrained"]].tolist() == pytest.approx([1.5, 1], rel=0.01)
        assert rows.loc["reach", ["value", "untrained"]].tolist() == pytest.approx([10 / 7 - 1, 0], rel=0.02)
        assert rows.loc["separators", "value"] == pytest.approx(own.by_name["separators"].value)
    low, high = unlike.loc["late_sentences", ["low", "high"]]
    half = stats.t.ppf(0.975, 2) * (1 / np.sqrt(3)) / 6  # of three copies; the texts hardly differ
    assert (np.log(high / low) / 2) == pytest.approx(half, rel=0.05)
    assert equal.loc["late_sentences", "high"] < 1.1 * 1.5 < high


def copies_of(kind: int, texts: int, rng: np.random.Generator, seeds: int = 6) -> list[Effects]:
    """Copies that differ from each other by three times as much as counts; texts hardly do.

    The second kind has far more of each effect than the first, so that only copies of its own kind stand in its way.
    """
    several = []
    shared = rng.standard_normal((len(CLAIMS), texts))  # what a text does to all of them
    for _ in range(seeds):
        by_effect = {}
        for claim, of_texts in zip(CLAIMS, shared, strict=True):
            margin = claim.scaled_margin
            level = claim.scaled(np.array(claim.supported)) + margin * (10 * kind - 8 + 3 * rng.standard_normal())
            scaled = claim.direction * (level + margin * (0.3 * of_texts + 0.1 * rng.standard_normal(texts)))
            by_effect[claim.effect] = np.exp(scaled) if claim.unit == "times" else scaled
        several.append(effects_in(by_effect))
    return several


@pytest.mark.long
def test_at_most_5_of_100_copies_are_taken_for_models_that_learned() -> None:
    rng = np.random.default_rng(0)
    rows = pd.concat(
        copies_as_models({"untrained": copies_of(0, texts, rng), "shuffled_weights": copies_of(1, texts, rng)})
        for texts in (4, 10)
        for _ in range(50)
    )
    assert (rows["verdict"] == "supported").groupby(rows["effect"]).mean().min() > 0.3, "else nothing is tried"
    share = taken_for_learned(rows)
    assert share.between(0, 0.05, inclusive="right").all(), share


def test_a_model_far_beyond_its_copies_is_found() -> None:
    rng = np.random.default_rng(3)
    kinds: dict[Control, list[Effects]] = {
        "untrained": copies_of(0, 10, rng),
        "shuffled_weights": copies_of(1, 10, rng),
    }
    nearest = kinds["shuffled_weights"][3].by_name
    effects = {}
    for claim in CLAIMS:
        scaled = claim.direction * (claim.scaled(nearest[claim.effect].values) + 30 * claim.scaled_margin)
        values = np.exp(scaled) if claim.unit == "times" else scaled
        effects[claim.effect] = replace(nearest[claim.effect], values=values)
    own = Effects(effects, np.arange(10))
    rows = claim_rows(own, {kind: some[:3] for kind, some in kinds.items()})
    assert set(rows["more_than_untrained"]) == {"yes"}
