"""The bars of the kinds hold the shares of their table, and chance stands beside them."""

import numpy as np

from attn_core.charts.kinds import BY_CHANCE, kinds_at_a_glance
from attn_core.measures.kinds import KINDS, kind_table

SHARES = np.array([[[0.5, 0.1, 0.1, 0.1, 0.1, 0.1], [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]]])
TABLE = kind_table(SHARES, np.full(SHARES.shape, 1 / 6))


def test_every_head_has_a_bar_and_chance_has_one_of_its_own() -> None:
    spec = kinds_at_a_glance(TABLE).to_dict()
    rows = next(rows for rows in spec["datasets"].values() if len(rows) > 2)
    for head, shares in zip((1, 2), SHARES[0], strict=True):
        assert [row["share"] for row in rows if row["head"] == head] == shares.tolist()
    chance = [row for row in rows if row["group"] == BY_CHANCE]
    assert [row["share"] for row in chance] == [1 / 6] * len(KINDS)
    assert spec["layer"][0]["encoding"]["color"]["scale"]["domain"] == list(KINDS)
