"""What the user gives that cannot be used: one clear sentence, no traceback, and the previous result stays."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from attn_core.texts.own_texts import first_words
from attn_core.ui.widgets.uploads import Upload, digest
from tests.made_up_documents import OF_PROGRAMS
from tests.ui.pages import opened, visit

pytestmark = pytest.mark.model


@pytest.fixture
def app() -> AppTest:
    return opened()


@dataclass(frozen=True)
class Sent:
    """A file as Streamlit has it."""

    name: str

    def getvalue(self) -> bytes:
        return b"A note."


def paste(app: AppTest, text: str) -> AppTest:
    if app.session_state["text"] != "My own text":
        app.selectbox(key="text").set_value("My own text").run()
    return app.text_area(key="own_text").set_value(text).run()


def only_warning(app: AppTest) -> str:
    assert not app.exception
    (warning,) = app.warning
    return warning.value


def shown_title(app: AppTest) -> str:
    return next(caption.value for caption in app.caption if "tokens ·" in caption.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "Paste or type a text"),
        ("   \n\n ", "Paste or type a text"),
        ("?!... --- !!!", "no word"),
        ("😀 😀😀", "no word"),
        ("\0\0", "no word"),
        ("a" * 2_000_001, "2,000,001 characters"),
    ],
)
def test_a_text_that_cannot_be_read_gets_one_sentence_and_the_last_result_stays(
    app: AppTest, text: str, says: str
) -> None:
    before = shown_title(app)
    paste(app, text)
    assert says in only_warning(app)
    assert "Still showing" in only_warning(app)
    assert shown_title(app) == before


@pytest.mark.parametrize(
    "text",
    [
        "word",
        "One sentence, nothing more.",
        "I typed [SEP] and [CLS] here. They are text.",
        "<script>alert(1)</script> **bold** $x$ :red[no]. It is shown as text.",
        "NUL \0 inside. It falls away.",
        "مرحبا بالعالم. كيف حالك؟ e\u0301a o\u0308.",
        "x" * 5000,
        "你好。再见。",
    ],
)
def test_unusual_texts_are_analysed(app: AppTest, text: str) -> None:
    paste(app, text)
    assert not app.exception
    assert not app.warning
    assert first_words(text) in shown_title(app).replace("\\", "")


def test_one_word_names_no_anchor_and_no_number_is_none() -> None:
    app = visit("pages/4_Anchor_tokens.py", **{"open-keywords": "true"})
    app.session_state["text"], app.session_state["own_text"] = "My own text", "word"
    app.run()
    assert not app.exception and not app.warning
    assert not any("nan" in str(shown) for metric in app.metric for shown in (metric.value, metric.delta))
    said = [each.value for each in (*app.caption, *app.info)]
    for sentence in ("1 strong pair a head is too few to name", "Once in the text", "This text has no keyword"):
        assert any(sentence in each for each in said)


def test_too_few_tokens_without_special_tokens(app: AppTest) -> None:
    paste(app, "word")
    app.toggle(key="special").set_value(False).run()
    assert "two tokens" in only_warning(app)


@pytest.mark.parametrize(
    ("model", "says"), [("no-such-org/no-such-model", "not on this machine"), ("no/such/thing", "neither a folder")]
)
def test_an_unknown_model_is_named_in_one_sentence_and_the_app_goes_on(app: AppTest, model: str, says: str) -> None:
    other = opened(model=model)
    assert says in only_warning(other)
    assert shown_title(other) == shown_title(app)


def test_a_folder_without_weights_is_refused_in_one_sentence(tmp_path: Path) -> None:
    assert "no weights" in only_warning(opened(model=str(tmp_path)))


@pytest.mark.parametrize(
    "name", ["nul\0name.txt", "two\nlines.txt", "x" * 5000 + ".txt", "a/../b.txt", "\0", "no_kind"]
)
def test_a_file_of_any_name_is_shown(app: AppTest, name: str) -> None:
    upload(app, name, b"A note. It has two sentences.")
    assert not app.exception
    assert not app.warning
    assert app.session_state["mine"].endswith("29c8fa7b")


@pytest.mark.parametrize(
    "name", ["nul\0name.jsonl", "two\nlines.jsonl", "half \ud800.jsonl", "é" * 5000 + ".jsonl", "../up.jsonl"]
)
def test_a_name_of_an_upload_is_one_that_a_file_system_takes(name: str, tmp_path: Path) -> None:
    upload = Upload.of(Sent(name))
    file = tmp_path / f"001 {upload.name}"
    file.write_bytes(upload.data)
    assert [path.name for path in tmp_path.iterdir()] == [file.name] and file.suffix == ".jsonl"
    assert digest([upload])


def upload(app: AppTest, name: str, data: bytes) -> AppTest:
    app.selectbox(key="text").set_value("A file of mine").run()
    return app.file_uploader(key="upload").set_value((name, data, "text/plain")).run()


def test_how_long_a_text_may_be_stands_at_the_widget_and_is_so(app: AppTest) -> None:
    upload(app, "long.txt", b"A word. " * 250_001)  # 2,000,008 characters
    assert "2,000,008 characters and one view takes at most 2,000,000" in only_warning(app)
    assert "at most 2,000,000 characters" in app.file_uploader(key="upload").help


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("photo.txt", b"\x89PNG\0\0\0\rIHDR" + bytes(100), "binary file"),
        ("photo", b"\x89PNG\0\0\0\rIHDR" + bytes(100), "binary file"),
        *((f"report.{kind}", data, says) for kind, data, says in OF_PROGRAMS),
        *((f"{kind} with another name.txt", data, says) for kind, data, says in OF_PROGRAMS),
        ("table.CSV", b"id,body\r\n1,A row.\r\n", "A table holds many texts"),
    ],
)
def test_a_file_that_is_no_text_is_refused_and_names_nothing_that_is_shown(
    app: AppTest, name: str, data: bytes, says: str
) -> None:
    before = shown_title(app)
    upload(app, name, data)
    assert says in only_warning(app)
    assert shown_title(app) == before
    assert not any(name in caption.value.replace("\\", "") for caption in app.caption)
