"""Redundancy of heads: of two that are alike each is redundant."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import spearmanr

from attn_core.analysis.reading import Reading, read, word_reading
from attn_core.interventions.worker import redundancy
from attn_core.texts.documents import read_document
from tests.families import IN_SHORT as TEXT
from tests.families import Tiny


@pytest.fixture
def reading(tiny_model: Tiny) -> Reading:
    return read(tiny_model("bert"), read_document(TEXT))


def test_a_head_whose_like_is_there_is_redundant(reading: Reading) -> None:
    (output,) = reading.outputs
    z = output.z.clone()
    z[2, 3] = z[0, 1]
    best, chance = redundancy(replace(reading, outputs=(replace(output, z=z),)))
    assert best.reshape(3, 4)[[2, 0], [3, 1]] == pytest.approx([1, 1])
    assert best.max() < 1 + 1e-5, "a head's likeness to itself does not count"
    assert best.reshape(3, 4)[1, 1] < 0.999
    assert -1 < chance < best.mean()


def test_redundancy_is_the_best_rank_correlation_with_another_head(reading: Reading) -> None:
    (output,) = word_reading(reading).outputs
    i, j = np.triu_indices(output.z.shape[2], k=1)
    words = ~word_reading(reading).passages[0].is_special
    inside = words[i] & words[j]
    pairs = [(head @ head.T)[i[inside], j[inside]] for layer in output.z for head in layer]
    expected = spearmanr(np.array(pairs).T).statistic - 2 * np.eye(len(pairs))
    assert redundancy(reading)[0] == pytest.approx(expected.max(axis=1), abs=1e-3)
