"""Heads: names and rows from 1, indices from 0."""

import numpy as np

from attn_core.head import Head, every_head


def test_a_head_has_one_name_one_row_and_one_index() -> None:
    head = Head(2, 1)
    assert str(head) == f"{head}" == "L3H2"
    assert head.row == (3, 2)
    assert Head.named("L3H2") == Head.of_row(3, 2) == head
    assert np.arange(12).reshape(4, 3)[head] == 7


def test_every_head_comes_layer_by_layer() -> None:
    assert [str(head) for head in every_head(2, 2)] == ["L1H1", "L1H2", "L2H1", "L2H2"]
