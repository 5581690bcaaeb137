"""A causal model: near tokens are alike in any, so that chance is its untrained copy."""

import re

import attn_core
from attn_core.models.controls import copy_of
from attn_core.models.files import ModelSpec
from tests.families import Folder
from tests.ui.pages import opened, text_of

TITLE = "A refrain"


def test_the_map_of_a_statistic_is_drawn_against_the_untrained_copy(tiny_folder: Folder, tiny: ModelSpec) -> None:
    spec = ModelSpec(str(tiny_folder("gpt2")))
    copy = attn_core.analyze(text_of(TITLE), copy_of(spec, "untrained")).layers["mean_distance"]
    app = opened(model=spec.name, text=TITLE, by="Mean distance")
    (alt,) = [one.proto.alt for one in app.get("vega_lite_chart") if one.proto.alt.startswith("Mean distance of")]
    assert re.search(rf"untrained copy from {copy.min():.1f} \(L\dH\d\) to {copy.max():.1f} \(", alt)
    assert any("no fair chance" in one.value for one in app.caption)
    assert not any("no fair chance" in one.value for one in opened(model=tiny.name, text=TITLE).caption)
