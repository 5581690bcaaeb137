"""Groups of strong pairs: what was made to differ is told apart, and told apart again."""

import numpy as np
import pytest

from attn_core.head import Head
from attn_core.measures.groups import FEWEST, group_pairs
from attn_core.similarity.strong_pairs import StrongPairs
from tests.measures.made_up import made_pairs, made_passage

HEAD = Head(0, 0)


@pytest.fixture
def joined() -> tuple[StrongPairs, np.ndarray]:
    """Two thirds of the pairs touch token 0 and point one way, a third touch token 1 and point another."""
    passage = made_passage([0, 1, *range(2, 62)])
    rng = np.random.default_rng(0)
    z = rng.normal(scale=0.1, size=(62, 4))
    z[0] = z[2:42] = [3, 0, 0, 0]
    z[1] = z[42:62] = [0, 3, 0, 0]
    z += rng.normal(scale=0.1, size=z.shape)
    pairs = [(0, other) for other in range(2, 42)] + [(1, other) for other in range(42, 62)]
    return made_pairs(passage, [[pairs]]), z


def test_pairs_of_two_tokens_are_two_groups_with_their_shares_tokens_and_examples(
    joined: tuple[StrongPairs, np.ndarray],
) -> None:
    window, z = joined
    groups = group_pairs([window], [z], HEAD)
    assert groups is not None and groups.labels.max() == 2
    assert [pair[1] for pair in groups.pairs] == [0] * 40 + [1] * 20
    assert groups.labels.tolist() == [1] * 40 + [2] * 20
    assert (groups.share(1), groups.share(2)) == (40 / 60, 20 / 60)
    assert groups.tokens(1)[0] == (window.passage.tokens[0], 1.0)
    assert all(first == 1 for _, first, _ in groups.examples(2)) and len(groups.examples(2)) == 2
    assert groups.stability > 0.9 and groups.silhouette > 0.3


def test_where_nothing_differs_the_groups_do_not_stay() -> None:
    rng = np.random.default_rng(1)
    passage = made_passage(list(range(80)))
    pairs = [tuple(sorted(rng.choice(80, 2, replace=False).tolist())) for _ in range(200)]
    groups = group_pairs([made_pairs(passage, [[pairs]])], [rng.normal(size=(80, 8))], HEAD)
    assert groups is not None and groups.stability < 0.6


def test_few_pairs_and_pairs_that_are_all_alike_are_not_grouped() -> None:
    passage = made_passage([0] * 40)
    few = made_pairs(passage, [[[(0, other) for other in range(1, FEWEST)]]])
    assert group_pairs([few], [np.ones((40, 4))], HEAD) is None
    alike = made_pairs(passage, [[[(0, other) for other in range(1, 40)]]])
    assert group_pairs([alike], [np.zeros((40, 4))], HEAD) is None
