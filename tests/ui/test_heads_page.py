"""The Heads page: what two heads share, their matrices or attention maps, a click on one of the folds."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import attn_core
from attn_core.head import Head
from attn_core.measures.comparison import matrix_correlation, pair_overlap, strongest_in_context
from attn_core.texts.documents import samples
from tests.ui.pages import healthy, opened

A, B = Head.named("L2H3"), Head.named("L4H5")
pytestmark = pytest.mark.model


def test_both_matrices_their_strong_pairs_and_what_they_share_are_the_librarys(sent: list[dict[str, Any]]) -> None:
    app = opened("pages/1_Heads.py", a=str(A), b=str(B))
    analysis = attn_core.analyze(samples()[0].text)
    model, document = analysis.reading.model, analysis.reading.document
    attention = attn_core.read(model, document, keep_maps=True).outputs[0].attention
    maps = {"similarity": [analysis.similarity(head) for head in (A, B)], "attention": [attention[A], attention[B]]}
    for name, matrices in maps.items():
        app.button_group(key="maps").set_value(name).run()
        assert healthy(app)
        for panel, head, expected in zip(sent[-1]["panels"], (A, B), matrices, strict=True):
            np.testing.assert_array_equal(panel["values"], np.asarray(expected, np.float32))
            pairs = np.stack([analysis.windows[0].first[head], analysis.windows[0].second[head]], axis=1).tolist()
            assert panel["marks"] == (pairs if name == "similarity" else [])
    overlap, chance = pair_overlap(analysis.windows, A, B)
    of_a, of_b = maps["similarity"]
    correlation = matrix_correlation(of_a, of_b, analysis.windows[0].eligible)
    (shared,) = (one.value for one in app.markdown if one.value.startswith("Pairs strong in both heads"))
    assert f"**{overlap:.1%}** (chance {chance:.1%})" in shared and f"**{correlation:z.2f}** (chance 0)" in shared


def test_a_window_is_shown_by_its_name(saved: dict[str, tuple[pd.DataFrame, dict[str, Any]]]) -> None:
    sample = next(one for one in samples() if one.title == "Six topics of uneven length")
    app = opened("pages/1_Heads.py", text=sample.title, a=str(A), shown="3", **{"open-strongest": "true"})
    assert [box.label for box in app.selectbox if box.key == "shown"] == ["Window shown, of 3"]
    table, provenance = saved["strongest-a"]
    windows = attn_core.analyze(sample.text, language=sample.language).windows
    pd.testing.assert_frame_equal(table, strongest_in_context(windows[2], A))
    assert (provenance["windows"], provenance["window"]) == ("1 to 3", 3)


def test_a_head_like_a_is_chosen_as_b_by_a_click() -> None:
    app = opened("pages/1_Heads.py", text="A refrain", a="L2H3", **{"open-alike": "true"})
    assert healthy(app)
    like = [button for button in app.button if button.key and button.key.startswith("like-")]
    assert len(like) == 5 and all("L2H3:" not in button.label for button in like)
    name = like[0].label.split(":")[0]
    like[0].click().run()
    assert healthy(app) and app.selectbox(key="b").value == name
