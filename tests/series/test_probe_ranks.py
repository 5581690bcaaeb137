"""Drift is 1 - Spearman's correlation of two similarity matrices, mean over the windows; its chance level is about 1."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from attn_core.series.probe_ranks import drift_table, rank_pairs
from scipy.stats import spearmanr

from attn_core.similarity.context_similarity import context_similarity
from attn_core.similarity.strong_pairs import Settings

SIZES = (40, 33)


class Window(SimpleNamespace):
    def __len__(self) -> int:
        return self.is_special.size


def step(seed: int) -> tuple[list[Window], list[SimpleNamespace]]:
    """Two windows of 2 layers x 3 heads; the first and the last token of each are special."""
    made = torch.Generator().manual_seed(seed)
    passages = [Window(is_special=np.isin(np.arange(size), [0, size - 1])) for size in SIZES]
    return passages, [SimpleNamespace(z=torch.randn(2, 3, size, 8, generator=made)) for size in SIZES]


@pytest.mark.parametrize("settings", [Settings(), Settings("cosine", with_special=False)])
def test_drift_is_what_scipy_says(settings: Settings) -> None:
    before, after = step(0), step(1)
    table = drift_table(
        [0, 7], [rank_pairs(zip(*before, strict=True), settings), rank_pairs(zip(*after, strict=True), settings)]
    )
    inner = slice(None) if settings.with_special else slice(1, -1)

    def pairs(outputs: SimpleNamespace) -> np.ndarray:
        matrix = context_similarity(outputs.z, settings.measure).numpy()[1, 2, inner, inner]
        return matrix[np.triu_indices(len(matrix), k=1)]

    wanted = np.mean([1 - spearmanr(pairs(a), pairs(b)).statistic for a, b in zip(before[1], after[1], strict=True)])
    drift = table.query("step == 0 and layer == 2 and head == 3")["drift"].item()
    assert drift == pytest.approx(wanted, abs=1e-12)
    assert (table.query("step == 7")["drift"] == 0).all()
    assert table["step"].tolist() == [0] * 6 + [7] * 6


def test_chance_is_the_last_matrix_with_its_tokens_in_another_order() -> None:
    """A head whose tokens have a steep order of lengths has matrices far from any other order of them."""
    passages, outputs = step(0)
    for output in outputs:
        output.z = output.z * torch.linspace(1, 4, output.z.shape[2])[:, None]
    table = drift_table([0], [rank_pairs(zip(passages, outputs, strict=True), Settings())])
    assert (table["drift"] == 0).all()
    assert table["chance_drift"].between(0.8, 1.2).all()
    assert table["chance_drift"].nunique() == 6


def test_equal_similarities_share_the_mean_of_their_ranks() -> None:
    passages, outputs = [Window(is_special=np.zeros(3, dtype=bool))], [SimpleNamespace(z=torch.ones(1, 1, 3, 2))]
    assert rank_pairs(zip(passages, outputs, strict=True), Settings())[0].tolist() == [[[4, 4, 4]]]
