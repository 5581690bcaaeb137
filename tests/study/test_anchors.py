"""Coverage in replicates, as far as the lists of the texts hold the anchor's pairs."""

import numpy as np

from attn_core.study.anchors import _scaled


def test_lists_that_hold_nine_tenths_of_an_anchors_pairs_bound_its_coverage_and_others_do_not() -> None:
    listed = np.array([[0.5, 0.45, 0.449], [0.4, 0.36, 0.4]])  # the study, and a replicate
    made = _scaled(listed, np.array([0.5, 0.5, 0.5]))
    np.testing.assert_allclose(made[:, :2], [[0.5, 0.5], [0.4, 0.4]])
    assert made[0, 2] == 0.5 and np.isnan(made[1, 2])
