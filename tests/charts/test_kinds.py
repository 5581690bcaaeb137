"""The bars of the kinds hold the shares of their table, and chance stands beside them."""

import numpy as np

from attn_core.charts.kinds import BY_CHANCE, kinds_at_a_glance, kinds_of_head
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


def test_one_head_is_told_by_what_stands_furthest_above_chance() -> None:
    one = TABLE[TABLE["head"] == 2]
    told = kinds_of_head(one).description
    assert "L1H2" in told and "at the anchor, 100% (chance 17%)" in told
    assert "share_low" not in str(kinds_of_head(one).to_dict())
    bounded = kinds_of_head(one.assign(share_low=0.1, share_high=0.2)).to_dict()
    assert bounded["layer"][1]["encoding"]["x2"]["field"] == "share_high"
