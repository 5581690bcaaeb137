"""The Heads page: what two heads share, their matrices or attention maps, a click on one of the folds."""

import re
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pytest

import attn_core
from attn_core.head import Head
from attn_core.measures.comparison import matrix_correlation, pair_overlap, strongest_in_context
from attn_core.texts.documents import samples
from attn_core.texts.token_names import readable
from attn_core.ui.components import matrix_canvas
from attn_core.ui.widgets.escape import plain
from tests.families import Tiny
from tests.ui.pages import described, healthy, opened

A, B = Head.named("L2H3"), Head.named("L3H4")
pytestmark = pytest.mark.usefixtures("tiny_default")


def test_both_matrices_their_strong_pairs_and_what_they_share_are_the_librarys(
    sent: list[dict[str, Any]], tiny_model: Tiny
) -> None:
    app = opened("pages/1_Heads.py", a=str(A), b=str(B), window="1")
    analysis = attn_core.analyze(samples()[0].text, tiny_model("bert"), window=1)
    model, document = analysis.reading.model, analysis.reading.document
    attention = attn_core.read(model, document, keep_maps=True, window=1).outputs[0].attention
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
    (shared,) = (one.value for one in app.markdown if one.value.startswith("Strong pairs shared by A and B"))
    assert f"**{overlap:.1%}** (chance {chance:.1%})" in shared and f"**{correlation:z.2f}** (chance 0)" in shared


def test_a_click_on_a_cell_says_why_its_two_tokens_are_alike_in_both_heads(
    saved: dict[str, tuple[pd.DataFrame, dict[str, Any]]], monkeypatch: pytest.MonkeyPatch, tiny_model: Tiny
) -> None:
    model, picked = tiny_model("bert"), (7, 40)
    monkeypatch.setattr(matrix_canvas, "_component", lambda **_: {"picked": picked})
    app = opened("pages/1_Heads.py", a=str(A), b=str(B), window="1")
    analysis = attn_core.analyze(samples()[0].text, model, window=1)
    attention = attn_core.read(model, analysis.reading.document, keep_maps=True, window=1).outputs[0].attention
    passage = analysis.reading.passages[0]
    assert healthy(app) and passage.surface(7) in (asked := app.header[0].value) and passage.surface(40) in asked
    of_heads = [one.value.replace("\\", "") for one in app.markdown if "have a similarity of" in one.value]
    for head, letter, said in zip((A, B), "ab", of_heads, strict=True):
        table, provenance = saved[f"why-{letter}"]
        assert [provenance[name] for name in ("head", "first", "second")] == [str(head), *picked]
        similarity, weights = analysis.similarity(head), np.asarray(attention[head], float)
        assert table["contribution"].sum() == pytest.approx(similarity[picked], abs=1e-4)
        for name, at in zip(("first_attention", "second_attention"), picked, strict=True):
            np.testing.assert_allclose(table[name], weights[at], atol=1e-5)
        every = similarity[np.triu_indices(len(passage), 1)].mean()
        assert f"have a similarity of {similarity[picked]:.3g}, any pair {every:.3g}." in said
        assert f"gives {weights[picked]:.1%} of its" in re.sub(r"gives .{1,20} (?=[\d.]+% of)", "gives ", said)
        by_name = Counter[str]()
        for at, part in zip(table["position"], table["contribution"], strict=True):
            by_name[passage.whole(at)] += part
        ((most, whole),) = by_name.most_common(1)
        assert readable(most) in said and f" {whole / similarity[picked]:.0%}" in said
        why = analysis.explain(head, *picked)
        different = f"{why.similarity - why.same_source:.3g} (they read different tokens); any pair {why.common:.3g}"
        assert described(app, f"value {why.same_source:.3g} (both read the same token), {different}")


def test_what_cannot_be_explained_is_said_in_the_sentence_of_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix_canvas, "_component", lambda **_: {"picked": (7, 7)})
    app = opened("pages/1_Heads.py", a=str(A), b=str(B), window="1")
    said = plain("A pair has two different tokens, not 7 twice.")
    assert healthy(app) and [one.value for one in app.caption].count(said) == 2


def test_a_window_is_shown_by_its_name(saved: dict[str, tuple[pd.DataFrame, dict[str, Any]]], tiny_model: Tiny) -> None:
    sample = samples()[0]
    app = opened("pages/1_Heads.py", text=sample.title, a=str(A), shown="6", **{"open-strongest": "true"})
    analysis = attn_core.analyze(sample.text, tiny_model("bert"), language=sample.language)
    number, window = len(analysis.reading.passages), next(one for one in analysis.windows if one.passage.index == 5)
    assert [box.label for box in app.selectbox if box.key == "shown"] == [f"Window shown, of {number}"]
    table, provenance = saved["strongest-a"]
    pd.testing.assert_frame_equal(table, strongest_in_context(window, A))
    assert (provenance["windows"], provenance["window"]) == (f"1 to {number}", 6)


def test_a_head_like_a_is_chosen_as_b_by_a_click() -> None:
    app = opened("pages/1_Heads.py", text="A refrain", a="L2H3", **{"open-alike": "true"})
    assert healthy(app)
    like = [button for button in app.button if button.key and button.key.startswith("like-")]
    assert len(like) == 5 and all("L2H3:" not in button.label for button in like)
    name = like[0].label.split(":")[0]
    like[0].click().run()
    assert healthy(app) and app.selectbox(key="b").value == name
