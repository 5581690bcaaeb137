"""Home: the heads worth a look are the library's and become head A; a pasted text is kept and read."""

import re

import pytest

import attn_core
from attn_core.head import every_head
from attn_core.measures.comparison import nearest_by_pairs
from attn_core.measures.roles import clearest_head, notable_heads
from attn_core.models.baselines import copy_of
from attn_core.models.files import COPIES, ModelSpec
from attn_core.texts import own_texts
from tests.families import Folder
from tests.ui.pages import described, healthy, opened, text_of

PASTED = "The lamp is lit. The keeper climbs the *stair*, and the lamp turns. Ships see the lamp."
TITLE, CLEAR = "A refrain", "A dialogue on the stairs"


@pytest.mark.parametrize(
    ("model", "title"),
    [("mpnet", "Pronouns"), pytest.param("real", TITLE, marks=[pytest.mark.long, pytest.mark.model])],
)
def test_heads_worth_a_look_are_those_of_the_library_and_a_click_makes_one_head_a(
    model: str, title: str, tiny_folder: Folder
) -> None:
    spec = ModelSpec() if model == "real" else ModelSpec(str(tiny_folder(model)))
    app = opened(model=spec.name, text=title)
    text = text_of(title)
    copies = {name: attn_core.analyze(text, copy_of(spec, kind)).heads for kind, name in COPIES.items()}
    analysis = attn_core.analyze(text, spec)
    heads, stable = analysis.heads, analysis.roles["stable_role"]
    expected = notable_heads(heads, heads["role"] == stable, copies)
    assert {one.role for one in expected} == {stable[every_head(*analysis.shape).index(one.head)] for one in expected}
    shown = {button.key: button for button in app.button if button.key and button.key.startswith("notable-")}
    assert list(shown) == [f"notable-{one.head}" for one in expected] and expected
    for one, button in zip(expected, shown.values(), strict=True):
        label = button.label.replace("\\", "")
        percents = [one.share, one.chance, *one.copies.values()]
        assert [f"{part:.1%}" for part in percents] == re.findall(r"[\d.]+%", label.partition("are alike, since")[0])
        assert label.startswith(f"**{one.head}, {one.head.rows_of(heads)['role'].item()}"), "as the map names it"
    shown[f"notable-{expected[-1].head}"].click().run()
    assert healthy(app) and app.selectbox(key="a").value == str(expected[-1].head)


def test_head_a_is_at_first_the_clearest_and_b_the_one_most_like_it_and_both_stay(tiny: ModelSpec) -> None:
    analysis = attn_core.analyze(text_of(CLEAR), tiny)
    a = clearest_head(analysis.heads)
    home, heads = opened(model=tiny.name, text=CLEAR), opened("pages/1_Heads.py", model=tiny.name, text=CLEAR)
    assert [box.value for box in home.selectbox if box.key in ("a", "b")] == [str(a)] != ["L1H1"]
    b = str(nearest_by_pairs(analysis.windows, a))
    for text in (CLEAR, TITLE):
        heads.selectbox(key="text").set_value(text).run()
        assert healthy(heads) and [heads.selectbox(key=key).value for key in "ab"] == [str(a), b]


def test_a_pasted_text_is_kept_and_read_and_so_is_a_sample(tiny: ModelSpec) -> None:
    app = opened(model=tiny.name, text=TITLE)
    app.text_area(key="pasted").set_value(PASTED).run()
    assert healthy(app)
    (own,) = own_texts.every().values()
    assert own.text == PASTED and app.text_area(key="pasted").value == ""
    assert app.selectbox(key="text").value == own.link
    app.menu_button(key="sample").set_value("Pronouns").run()
    assert healthy(app) and app.selectbox(key="text").value == "Pronouns"


def test_a_causal_model_is_drawn_against_its_untrained_copy(tiny_folder: Folder, tiny: ModelSpec) -> None:
    """Near tokens are alike in any causal model."""
    spec = ModelSpec(str(tiny_folder("gpt2")))
    copy = attn_core.analyze(text_of(TITLE), copy_of(spec, "untrained")).layers["mean_distance"]
    app = opened(model=spec.name, text=TITLE, by="Mean distance")
    alt = described(app, "Mean distance of every head")
    assert re.search(rf"untrained copy from {copy.min():.1f} \(L\dH\d\) to {copy.max():.1f} \(", alt)
    assert any("no fair chance" in one.value for one in app.caption)
    assert not any("no fair chance" in one.value for one in opened(model=tiny.name, text=TITLE).caption)


@pytest.mark.long
def test_heads_are_coloured_by_noise_though_it_is_read_later(tiny: ModelSpec) -> None:
    assert healthy(opened("pages/0_Home.py", model=tiny.name, text="A refrain", by="Noise"))
    assert healthy(opened("pages/3_Specialization.py", model=tiny.name, x="Noise", **{"open-scatter": "true"}))
