"""What the user gives that cannot be used: one clear sentence, no traceback, and the previous result stays."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from attn_core.ui.widgets.uploads import Upload, digest
from tests.families import Folder
from tests.ui.pages import ROOT, opened, shown, visit

pytestmark = pytest.mark.model


@pytest.fixture
def app(tiny_folder: Folder) -> AppTest:
    return opened(model=str(tiny_folder("bert")))


@dataclass(frozen=True)
class Sent:
    """A file as Streamlit has it."""

    name: str

    def getvalue(self) -> bytes:
        return b"A note."


def paste(app: AppTest, text: str) -> AppTest:
    if app.session_state["text"] != "New text":
        app.selectbox(key="text").set_value("New text").run()
    return app.text_area(key="own_text").set_value(text).run()


def only_warning(app: AppTest) -> str:
    assert not app.exception
    (warning,) = app.warning
    return warning.value


UNREADABLE = {
    "": "Paste or type a text", "   \n\n ": "Paste or type a text", "?!... --- !!!": "no word", "😀 😀😀": "no word",
    "\0\0": "no word", "a" * 2_000_001: "2,000,001 characters",
}  # fmt: skip
UNUSUAL = [
    "word", "One sentence, nothing more.", "I typed [SEP] and [CLS] here. They are text.",
    "<script>alert(1)</script> **bold** $x$ :red[no]. It is shown as text.", "NUL \0 inside. It falls away.",
    "مرحبا بالعالم. كيف حالك؟ e\u0301a o\u0308.", "x" * 5000, "你好。再见。",
]  # fmt: skip


def test_a_text_that_cannot_be_read_gets_one_sentence_and_the_last_result_stays(app: AppTest) -> None:
    before = shown(app).text
    for text, says in UNREADABLE.items():
        paste(app, text)
        assert says in only_warning(app) and "Still showing" in only_warning(app), text[:20]
        assert shown(app).text == before


def test_unusual_texts_are_analysed(app: AppTest) -> None:
    for text in UNUSUAL:
        paste(app, text)
        assert not app.exception and not app.warning, text[:20]
        assert shown(app).text == text, text[:20]


def test_one_word_names_no_anchor_and_no_number_is_none() -> None:
    app = visit("pages/4_Anchor_tokens.py", **{"open-keywords": "true"})
    app.session_state["text"], app.session_state["own_text"] = "New text", "word"
    app.run()
    assert not app.exception and not app.warning
    assert not any("nan" in str(shown) for metric in app.metric for shown in (metric.value, metric.delta))
    said = [each.value for each in (*app.caption, *app.info)]
    for sentence in ("1 strong pair a head is too few to name", "This text has no keyword"):
        assert any(sentence in each for each in said)


def test_too_few_tokens_without_special_tokens(app: AppTest) -> None:
    paste(app, "a")
    app.toggle(key="special").set_value(False).run()
    assert "two tokens" in only_warning(app)


@pytest.mark.parametrize(
    ("model", "says"),
    [
        ("no-such-org/no-such-model", "not on this machine"),
        ("no/such/thing", "neither a folder"),
        (str(ROOT / "docs"), "no weights"),
    ],
)
def test_an_unknown_model_is_named_in_one_sentence_and_the_app_goes_on(model: str, says: str) -> None:
    app = opened(model=model)
    assert says in only_warning(app) and "all-MiniLM-L6-v2" in shown(app).spec.name


def test_a_file_of_any_name_is_shown(app: AppTest) -> None:
    for number, name in enumerate(
        ["nul\0name.txt", "two\nlines.txt", "x" * 5000 + ".txt", "a/../b.txt", "\0", "no_kind"]
    ):
        upload(app, name, f"Note {number}. It has two sentences.".encode())
        assert not app.exception and not app.warning, name[:20]
        assert f"Note {number}" in shown(app).text, name[:20]


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
    app.selectbox(key="text").set_value("New text").run()
    return app.file_uploader(key="upload").set_value((name, data, "text/plain")).run()


NO_TEXTS = [
    ("photo.txt", b"\x89PNG\0\0\0\rIHDR" + bytes(100), "binary file"),
    ("photo", b"\x89PNG\0\0\0\rIHDR" + bytes(100), "binary file"),
    ("report.docx", b"PK\3\4" + bytes(100), "binary file"),
    ("table.CSV", b"id,body\r\n1,A row.\r\n", "A table holds many texts"),
]


def test_a_file_that_is_no_text_is_refused_and_names_nothing_that_is_shown(app: AppTest) -> None:
    before = shown(app).text
    for name, data, says in NO_TEXTS:
        upload(app, name, data)
        assert says in only_warning(app), name
        assert shown(app).text == before
