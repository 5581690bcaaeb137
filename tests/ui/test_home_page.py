"""Home: the heads worth a look are the library's and become head A; a pasted text is kept and read."""

import pytest

import attn_core
from attn_core.measures.roles import notable_heads
from attn_core.models.controls import copy_of
from attn_core.models.files import COPIES, ModelSpec
from attn_core.texts import own_texts
from tests.ui.pages import healthy, opened, text_of

PASTED = "The lamp is lit. The keeper climbs the *stair*, and the lamp turns. Ships see the lamp."
TITLE = "A refrain"


@pytest.mark.parametrize(
    ("model", "title"),
    [("tiny", "A dialogue on the stairs"), pytest.param("real", TITLE, marks=[pytest.mark.long, pytest.mark.model])],
)
def test_heads_worth_a_look_are_those_of_the_library_and_a_click_makes_one_head_a(
    model: str, title: str, tiny: ModelSpec
) -> None:
    spec = tiny if model == "tiny" else ModelSpec()
    app = opened(model=spec.name, text=title)
    text = text_of(title)
    copies = {name: attn_core.analyze(text, copy_of(spec, kind)).heads for kind, name in COPIES.items()}
    expected = notable_heads(attn_core.analyze(text, spec).heads, copies)
    shown = {button.key: button for button in app.button if button.key and button.key.startswith("notable-")}
    assert list(shown) == [f"notable-{one.head}" for one in expected] and expected
    for one, button in zip(expected, shown.values(), strict=True):
        percents = [one.share, one.chance, *one.copies.values()]
        assert [f"{part:.0%}" for part in percents] == [
            f"{word.strip('();,')}"
            for word in button.label.replace("\\", "").split()
            if word.strip("();,").endswith("%")
        ]
    shown[f"notable-{expected[-1].head}"].click().run()
    assert healthy(app) and app.selectbox(key="a").value == str(expected[-1].head)


def test_a_pasted_text_is_kept_and_read_and_so_is_a_sample(tiny: ModelSpec) -> None:
    app = opened(model=tiny.name, text=TITLE)
    app.text_area(key="pasted").set_value(PASTED).run()
    assert healthy(app)
    (own,) = own_texts.every().values()
    assert own.text == PASTED and app.text_area(key="pasted").value == ""
    assert app.selectbox(key="text").value == own.link
    app.menu_button(key="sample").set_value("Pronouns").run()
    assert healthy(app) and app.selectbox(key="text").value == "Pronouns"


def test_heads_are_coloured_by_noise_though_it_is_read_later(tiny: ModelSpec) -> None:
    assert healthy(opened("pages/0_Home.py", model=tiny.name, text="A refrain", by="Noise"))
    assert healthy(opened("pages/3_Specialization.py", model=tiny.name, x="Noise", **{"open-scatter": "true"}))
