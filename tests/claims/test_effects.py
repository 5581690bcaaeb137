"""Effects of claims: what they are by their definitions, their intervals, and when they cannot be answered."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from attn_core.analysis.one_text import Analysis, analyze_reading
from attn_core.analysis.reading import read
from attn_core.claims.claim import BY_EFFECT, NEEDED
from attn_core.claims.counted import Counted
from attn_core.claims.effects import Effect, effects_of
from attn_core.measures.noise import BY_TEXT
from attn_core.measures.statistics import LIKE_DISTANCE
from attn_core.measures.tally import Count, Tally
from attn_core.measures.window_counts import BY_LAYER, count_some, count_window
from attn_core.models.records import LoadedModel
from attn_core.numerics.leave_one_out import OtherError, inclusion, interval_of_logarithm, sizes
from attn_core.similarity.strong_pairs import Settings
from attn_core.texts.documents import read_document
from tests.families import TEXT


@pytest.fixture(scope="module")
def analysis(tiny_model: Callable[[str], LoadedModel]) -> Analysis:
    """One window."""
    return analyze_reading(read(tiny_model("bert"), read_document(TEXT * 2), window=1), Settings(share=0.05))


def over(values: Sequence[float] | np.ndarray) -> np.ndarray:
    """The mean of texts of one size, over all and without each."""
    taken = inclusion(np.arange(len(values)))
    return taken @ np.asarray(values) / taken.sum(axis=1)


def bounds_of(effect: str, values: np.ndarray, texts: int = 4, other: OtherError | None = None) -> tuple[float, float]:
    return Effect(BY_EFFECT[effect], values, sizes(np.arange(texts), np.ones(texts)), of_copies=other).bounds


def test_the_effects_are_what_the_tables_say(analysis: Analysis) -> None:
    counted = Counted(analysis.counted.tally, *analysis.shape, np.ones(1))
    effects = {name: effect.value for name, effect in effects_of(counted).items()}
    layers, heads = analysis.layers, analysis.statistics
    third = max(1, len(layers) // 3)
    distance = layers["mean_distance"]
    assert effects["reach"] == pytest.approx(distance.iloc[-1] / distance.iloc[0] - 1)
    assert effects["own_pairs"] == pytest.approx(1 - layers["head_overlap"].mean())
    share = layers["same_sentence_share"] / layers["chance_same_sentence_share"]
    assert effects["sentences"] == pytest.approx(share.iloc[-third:].mean() / max(share.iloc[:third].mean(), 1))
    beyond = layers["same_sentence_share"] / layers["like_distance_same_sentence_share"]
    assert effects["same_sentence_beyond_distance"] == pytest.approx(beyond.iloc[-third:].mean())
    spread = layers["attention_spread"] / layers["chance_attention_spread"]
    quarter = max(1, len(layers) // 4)
    assert effects["attention_centralizes"] == pytest.approx(
        spread.iloc[-quarter:].mean() / spread.iloc[:quarter].mean()
    )
    late = layers.iloc[-max(1, len(layers) // 4) :]
    attention = late["separator_attention"] / late["chance_separator_attention"]
    assert effects["separators"] == pytest.approx(attention.mean())
    assert effects["noise"] == pytest.approx(heads.groupby("layer")["noise_rate"].median().mean(), rel=1e-6)
    assert effects["repeating"] == pytest.approx(layers["repeating_heads"].mean())
    assert effects["distinct"] == pytest.approx(layers["anchor_uniqueness"].mean())


def test_a_window_is_counted_for_claims_as_it_is_for_tables(analysis: Analysis) -> None:
    (window,) = analysis.measured
    some, every = count_some(window, NEEDED), count_window(window).counts
    assert some.keys() == NEEDED and all(np.array_equal(some[name].numerator, every[name].numerator) for name in some)


def made_counted(
    layers: int = 6,
    heads: int = 12,
    inside: float = 0.1,
    separators: float = 0.1,
    noise: float = 1.0,
    few: bool = False,
    groups: int = 4,
) -> Counted:
    """Counts of four texts; inside: the share of pairs in one sentence, by chance and at like distance."""
    tally = Tally()
    expected = {"same_sentence_share": inside, "separator_attention": separators}
    for name in NEEDED - {BY_TEXT}:
        values = np.full(layers if name in BY_LAYER else (layers, heads), inside if name == LIKE_DISTANCE.name else 0.5)
        tally.add_each(name, [Count(values, expected.get(name, 0.5), 1.0)])
    tally.add_each(BY_TEXT, [Count(np.full((layers, heads, 4), noise), np.full(4, noise), 1.0)])
    return Counted(tally, layers, heads, np.ones(groups), few)


@pytest.mark.parametrize(
    ("effect", "facts", "says"),
    [
        ("reach", {"layers": 1}, "one layer"), ("own_pairs", {"heads": 1}, "one head"),
        ("attention_centralizes", {"layers": 1}, "one layer"),
        ("late_sentences", {"inside": 0.9}, "90% of all pairs lie in one sentence"),
        ("late_sentences", {"inside": 0.79}, ""), ("same_sentence_beyond_distance", {"inside": 0.86}, ""),
        ("same_sentence_beyond_distance", {"inside": 0.88}, "88% of all pairs"),
        ("sentences", {"inside": 0.0}, "0% of all"),
        ("separators", {"separators": 0.0}, "no separator"), ("anchored", {"few": True}, "too few pairs"),
        ("separators", {"few": True}, ""), ("attention_centralizes", {"few": True}, ""),
        ("noise", {"noise": 0.0}, "tokens of the reference texts"),
        ("anchored", {"groups": 3}, "fewer than 4 texts"), ("anchored", {}, ""), ("noise", {}, ""),
    ],
)  # fmt: skip
def test_what_cannot_be_answered_says_why(effect: str, facts: dict[str, object], says: str) -> None:
    reason = BY_EFFECT[effect].not_applicable(made_counted(**facts))  # type: ignore[arg-type]
    assert says in reason and bool(says) == bool(reason)


@pytest.mark.parametrize(
    ("effect", "value", "texts", "expected"),
    [
        ("anchored", 0.0, 4, (0, 1 - 0.05**0.25)), ("repeating", 1.0, 10, (0.05**0.1, 1)),
        ("anchored", 0.5, 10, None), ("anchored", 0.0, 3, None), ("own_pairs", 1.0, 10, None), ("reach", 0.3, 10, None),
        ("separators", 1.2, 10, None),
    ],
)  # fmt: skip
def test_where_all_texts_are_the_same_only_a_share_of_0_or_1_of_the_heads_has_bounds(
    effect: str, value: float, texts: int, expected: tuple[float, float] | None
) -> None:
    found = bounds_of(effect, over(np.full(texts, value) + 1e-12 * np.arange(texts)), texts)
    assert np.isnan(found).all() if expected is None else found == pytest.approx(expected)


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
    (low, high), (lower, higher) = (bounds_of("noise", values, other=other) for other in (None, OtherError(0.5, 19)))
    assert lower < low and high < higher
