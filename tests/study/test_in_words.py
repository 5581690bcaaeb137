"""Settings in words."""

from types import SimpleNamespace

import pandas as pd
import pytest

from attn_core.study.descriptions import UNTRIED, warnings_of

FEW = "Fewer than 4 {what} have no interval, and no verdict: this study has {number}."


@pytest.mark.parametrize(
    ("changed", "texts", "groups", "says"),
    [
        ({}, 9, None, []), ({}, 4, None, []), ({"share": 0.1}, 9, None, [UNTRIED]),
        ({"unit": "words"}, 9, None, [UNTRIED]),
        ({}, 3, None, [FEW.format(what="texts", number=3)]), ({}, 9, "folder", [FEW.format(what="groups", number=2)]),
    ],
)  # fmt: skip
def test_what_keeps_a_study_from_a_verdict_is_said(
    changed: dict[str, object], texts: int, groups: str | None, says: list[str]
) -> None:
    settings = {"measure": "dot", "share": 0.01, "with_special": True, "unit": "tokens", "layout": "plain"} | changed
    read = pd.DataFrame([{"texts": texts, "groups": 2}])
    study = SimpleNamespace(manifest={"settings": settings, "corpus": {"groups": groups}}, table=lambda _: read)
    assert warnings_of(study) == says  # type: ignore[arg-type]
