"""The axis of a specification curve is that of the effects, however far off a control lies."""

from pathlib import Path

import pandas as pd
import pytest

from attn_core.findings.bars import BY_EFFECT
from attn_core.reproduction.conclusions import curve_table
from attn_core.reproduction.curves import drawn_curve
from attn_core.reproduction.opened import open_reproduction

SAMPLE = Path(__file__).parents[2] / "attn_core" / "reproduction" / "sample" / "minilm-on-sample-texts"


@pytest.fixture(scope="module")
def noise() -> pd.DataFrame:
    reproduction = open_reproduction(SAMPLE)
    return curve_table(reproduction.verdicts, "C7", "noise", reproduction.models[0])


def test_a_control_far_off_does_not_press_the_curve_flat(noise: pd.DataFrame) -> None:
    assert noise["twin"].max() > 20 * noise["effect"].max()  # else this text says nothing
    spec = drawn_curve(noise, BY_EFFECT["noise"]).to_dict()
    tops = [
        layer["encoding"]["y"]["scale"]["domain"][1]
        for layer in spec["layer"]
        if "scale" in layer["encoding"].get("y", {})
    ]
    top = max(tops)
    assert noise["effect"].max() < top < 5 * max(noise["effect"].max(), noise["chance"].max())
    drawn = [row["twin"] for rows in spec["datasets"].values() for row in rows if row.get("label") == "untrained twin"]
    assert drawn and max(drawn) <= top
