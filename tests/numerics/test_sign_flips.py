import numpy as np
from scipy.stats import permutation_test

from attn_core.numerics.sign_flips import holm, joint_flip_p, sign_flip_p


def test_p_is_that_of_all_sign_flips() -> None:
    rng = np.random.default_rng(1)
    differences = rng.normal(0.4, 1, (10, 3))
    p = sign_flip_p(differences, flips=40_000, seed=0)
    for column, found in zip(differences.T, p, strict=True):
        exact = permutation_test(
            (column,), lambda x, axis: np.abs(x.sum(axis=axis)), permutation_type="samples", alternative="greater",
            vectorized=True,
        )  # fmt: skip
        assert abs(found - exact.pvalue) < 0.01


def test_p_of_a_curve_of_one_number_is_that_of_its_texts_and_the_curve_counts_as_one_flip() -> None:
    of_texts = np.random.default_rng(2).normal(0.5, 1, (6, 1))
    apart = of_texts.mean(axis=0)
    found = joint_flip_p((of_texts - apart).T, apart, flips=40_000, seed=0)
    assert found == sign_flip_p(of_texts, flips=40_000, seed=0)[0]
    assert joint_flip_p(np.zeros((3, 4)), np.full(3, 9.0), flips=9999, seed=0) > 0.1, (
        "of four texts 2 of 16 flips are as far"
    )


def test_no_difference_is_no_sign_and_a_missing_pair_is_left_out() -> None:
    differences = np.array([[0.0, 1.0], [0.0, np.nan], [0.0, 1.0], [0.0, 1.0]])
    p = sign_flip_p(differences, flips=20_000, seed=0)
    assert p[0] == 1
    assert abs(p[1] - 2 / 8) < 0.02  # three pairs: all alike, or all the other way


def test_holm_steps_down() -> None:
    assert np.allclose(holm(np.array([0.04, 0.01, 0.03])), [0.06, 0.03, 0.06])
    assert holm(np.array([0.9, 0.8])).tolist() == [1.0, 1.0]
