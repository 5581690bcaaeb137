"""Settings in words."""

from types import SimpleNamespace

import pandas as pd
import pytest

from attn_core.study.in_words import UNTRIED, percents, too_few_texts, warnings_of


@pytest.mark.parametrize(
    ("shares", "words"), [((0.01,), "1%"), ((0.003, 0.01), "0.3 and 1%"), ((0.001, 0.02, 0.1), "0.1, 2 and 10%")]
)
def test_shares_are_told_in_percent(shares: tuple[float, ...], words: str) -> None:
    assert percents(shares) == words


@pytest.mark.parametrize(
    ("texts", "words"), [(1, "one text has been counted"), (2, "2 texts have"), (3, "3 texts have"), (4, ""), (90, "")]
)
def test_fewer_texts_than_an_interval_needs_are_told(texts: int, words: str) -> None:
    told = too_few_texts(texts)
    assert (words in told and told.startswith("Fewer than 4 texts have no interval")) if words else not told


@pytest.mark.parametrize(("changed", "told"), [({}, False), ({"share": 0.1}, True), ({"unit": "words"}, True)])
def test_settings_that_the_bars_were_not_tried_with_are_told(changed: dict[str, object], told: bool) -> None:
    settings = {"measure": "dot", "share": 0.01, "with_special": True, "unit": "tokens", "layout": "plain"} | changed
    read = pd.DataFrame([{"texts": 9}])
    study = SimpleNamespace(manifest={"settings": settings, "corpus": {"groups": None}}, table=lambda _: read)
    assert (UNTRIED in warnings_of(study)) is told  # type: ignore[arg-type]
