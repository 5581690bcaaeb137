"""Every page through Streamlit's AppTest: at its start, with every control moved, and for every sample text."""

from typing import Any

import pytest

from attn_core.texts.documents import samples
from tests.ui.pages import PAGES, healthy, opened, quick_only_on

SEGMENTED = ("A refrain", "German: a market morning", "Six topics of uneven length")  # a short one, and one with gold
SHORT = "A refrain"  # so that many reruns take little time
MODELS = ("text", "model", "b_model")  # which take a download or a text of one's own
pytestmark = pytest.mark.usefixtures("tiny_default")


@pytest.mark.parametrize("page", PAGES)
def test_a_page_opens_with_title_headings_tables_and_explanation(page: str) -> None:
    text = "Three topics" if "Segmentation" in page else SHORT  # which has gold boundaries
    app = opened(page, text=text)
    assert healthy(app)
    assert len(app.title) == 1
    assert app.header or not app.subheader  # a heading of the third level stands below one of the second
    assert app.dataframe or any("-open-" in expander.proto.id for expander in app.expander) or "Corpus" in page
    (explained,) = [expander for expander in app.expander if expander.label == "How to read this"]
    assert "**Our choice.**" in explained.markdown[0].value


def controls(place: Any) -> dict[str, tuple[Any, list[Any]]]:
    """The controls of a place that can be moved, by their names, and what each is tried at: the first option last."""
    tried: dict[str, tuple[Any, list[Any]]] = {}
    for box in place.selectbox:
        of_many = dict.fromkeys((box.options[-1], box.options[len(box.options) // 2], box.options[0]))
        if box.key not in MODELS:
            tried[box.key] = box, [option for option in of_many if option != "New text"]
    tried |= {toggle.key: (toggle, [not toggle.value, toggle.value]) for toggle in place.toggle}
    tried |= {group.key: (group, group.options) for group in place.button_group}
    tried |= {slider.key: (slider, [slider.min, slider.max]) for slider in place.slider}
    return {key: (widget, choices) for key, (widget, choices) in tried.items() if not widget.disabled}


@pytest.mark.parametrize("page", quick_only_on("pages/2_Distances.py"))
def test_every_choice_of_every_control_works(page: str) -> None:
    """Of a page's own controls another of each at every turn; those of the sidebar one by one on Home."""
    app = opened(page, text=SHORT)
    for key in controls(app.sidebar) if page == "pages/0_Home.py" else ():
        turn = 0
        while key in (now := controls(app.sidebar)) and turn < len(now[key][1]):
            widget, choices = now[key]
            assert healthy(widget.set_value(choices[turn]).run()), (key, choices[turn])
            turn += 1
    for turn in range(max((len(choices) for _, choices in controls(app.main).values()), default=0)):
        for at, (widget, choices) in enumerate(controls(app.main).values()):
            widget.set_value(choices[(turn + at) % len(choices)])
        assert healthy(app.run()), turn


@pytest.mark.long
@pytest.mark.parametrize("sample", [sample.title for sample in samples()])
def test_every_sample_text_works(sample: str) -> None:
    assert healthy(opened("pages/0_Home.py", text=sample))
    if sample in SEGMENTED:
        assert healthy(opened("pages/5_Segmentation.py", text=sample))
