"""What a user pastes or uploads is kept; a link in the address finds it again."""

import errno

import pytest

from attn_core.models.files import MINILM, ModelSpec
from attn_core.texts import own_texts
from attn_core.texts.documents import samples
from attn_core.ui.shell import text_source
from tests.ui.pages import opened, paste, shown, upload

LAMP = "The lamp is lit. The keeper climbs the stair, and the lamp turns."
TIDE = "The tide rose. The boats rose with it, and the harbour was full."
pytestmark = pytest.mark.usefixtures("tiny_default")


def link(text: str) -> str:
    """What stands in the address of a text that is kept."""
    return next(own.link for own in own_texts.every().values() if own.text == text)


def kept() -> list[str]:
    return [own.text for own in own_texts.every().values()]


def test_a_pasted_text_is_named_in_the_address_which_opens_it_in_a_new_session() -> None:
    app = paste(opened(), LAMP)
    assert app.query_params["text"] in (link(LAMP), [link(LAMP)]) and shown(app).text == LAMP
    again = opened(text=link(LAMP))
    assert shown(again).text == again.sidebar.text_area[0].value == LAMP
    assert not again.warning


def test_the_language_of_a_text_is_found_and_what_is_set_by_hand_is_for_that_text_alone(
    tiny: ModelSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert MINILM in text_source.OF_ENGLISH
    monkeypatch.setattr(text_source, "OF_ENGLISH", (tiny.name,))
    german = "Das Licht ist an. Der Wärter steigt die Treppe hinauf, und am 3. März dreht sich das Licht nicht mehr."
    app = paste(opened(), german)
    assert shown(app).language == "de" and app.selectbox(key="language").value == "auto"
    assert "The text looks German. The model was trained on English alone." in [one.value for one in app.caption]
    app.selectbox(key="language").set_value("fr").run()
    assert shown(app).language == "fr"
    paste(app, TIDE)
    assert shown(app).language == "en" and app.selectbox(key="language").value == "auto"


def test_a_file_is_kept_as_a_text() -> None:
    german = "Der Bär übt. Er öffnet die Tür."
    app = upload(opened(), "brief.txt", german.encode("latin-1"))
    assert shown(app).text == german and kept() == [german]


def test_an_edited_text_is_another_and_a_deleted_one_gives_way_to_a_sample() -> None:
    app = paste(opened(), LAMP)
    app.sidebar.text_area[0].set_value(TIDE).run()
    assert shown(app).text == TIDE and sorted(kept()) == sorted([LAMP, TIDE])
    app.button(key="delete-text").click().run()
    assert kept() == [LAMP]
    assert shown(app).text == samples()[0].text
    assert not app.exception and not app.warning


@pytest.mark.parametrize("name", [f"{own_texts.first_words(LAMP)} · 00000000", "<b>**x**"])
def test_a_name_that_no_text_has_gets_one_sentence_and_loses_nothing(name: str) -> None:
    own_texts.keep(LAMP)
    app = opened(text=name)
    (warning,) = app.warning
    assert "is not available; showing" in warning.value and "<b>" not in warning.value
    assert kept() == [LAMP]
    app.selectbox(key="text").set_value(link(LAMP)).run()
    assert not app.warning
    assert shown(app).text == LAMP


def test_a_full_disk_is_said_and_the_text_stays_in_the_session(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    app = paste(opened(), LAMP)
    monkeypatch.setattr(own_texts, "write_file", full)
    app.sidebar.text_area[0].set_value(TIDE).run()
    (toast,) = app.toast
    assert toast.value == "The text could not be kept on this machine: No space left on device."
    assert app.text_area(key="own_text").value == shown(app).text == TIDE
    assert kept() == [LAMP]
