"""What Distances says, by the numbers of the library."""

from collections.abc import Iterator

import numpy as np
import pytest

from attn_core import analyze
from attn_core.head import Head
from attn_core.measures.distances import LEAST
from attn_core.measures.statistics import BY_NAME
from attn_core.models.baselines import copy_of
from attn_core.models.files import COPIES, ModelSpec
from attn_core.ui.shell import completion
from tests.families import Folder
from tests.ui.pages import described, opened, text_of

TITLE, PAGE = "A refrain", "pages/2_Distances.py"
TEXT = text_of(TITLE)


@pytest.fixture(autouse=True)
def nothing_read() -> Iterator[None]:
    completion._futures.clear()
    yield
    completion._futures.clear()


def test_same_sentence_stands_beside_pairs_of_like_distance(tiny: ModelSpec) -> None:
    app = opened(PAGE, model=tiny.name, text=TITLE)
    spec = next(one.proto.spec for one in app.get("vega_lite_chart") if one.proto.alt.startswith("Same sentence by"))
    assert '"at like distance"' in spec
    (row,) = (
        Head.named(app.selectbox(key="a").value).rows_of(analyze(TEXT, tiny, language="en").heads).to_dict("records")
    )
    said = next(one.value for one in app.markdown if "inside one sentence" in one.value)
    assert f"like distance {row['like_distance_same_sentence_share']:.1%}" in said


def test_an_open_fold_has_the_reach_of_the_model_and_of_both_copies(tiny: ModelSpec) -> None:
    told = described(opened(PAGE, model=tiny.name, text=TITLE, **{"open-scores": "true"}), "How often near pairs")
    for kind, name in COPIES.items():
        copy = analyze(TEXT, copy_of(tiny, kind), language="en")
        assert f"{name} {BY_NAME['near_over_far'].text(copy.reach['near_over_far'].mean())}" in told


def test_in_a_causal_model_the_untrained_copy_is_chance(tiny_folder: Folder) -> None:
    spec = ModelSpec(str(tiny_folder("gpt2")))
    app = opened(PAGE, model=spec.name, text=TITLE)
    own, copy = (analyze(TEXT, one, language="en") for one in (spec, copy_of(spec, "untrained")))
    levels = ", ".join(
        f"{value:.1f} (layer {at})" for at, value in copy.layers.set_index("layer")["mean_distance"].items()
    )
    assert f"chance: untrained copy {levels}" in described(app, "Mean distance by layer")
    assert [one.value for one in app.caption if "no fair chance" in one.value]
    (said,) = [one.value for one in app.markdown if "The strong pairs of layer" in one.value]
    assert "untrained copy" in said and "by chance" not in said
    ratio = own.distance_bins["share"] / np.maximum(copy.distance_bins["share"], LEAST)
    assert f"to {ratio.max():.2f} (" in described(app, "Distances of strong pairs by layer")
