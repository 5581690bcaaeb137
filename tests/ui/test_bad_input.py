"""What a page cannot use: one clear sentence, no traceback, and the previous result stays."""

import pytest
from streamlit.testing.v1 import AppTest

from attn_core.ui.corpus.starting import ON_DISK
from attn_core.ui.runs.watching import ELSEWHERE
from tests.ui.pages import OWN_RULE, ROOT, opened, paste, shown, upload

HOME, PATTERNS, REMOVED, COMPARE, CORPUS = (
    f"pages/{page}.py" for page in ("0_Home", "6_Patterns", "7_Interventions", "8_Compare", "9_Corpus")
)
pytestmark = pytest.mark.usefixtures("tiny_default")


@pytest.fixture
def app() -> AppTest:
    return opened()


def only_warning(app: AppTest) -> str:
    assert not app.exception
    (warning,) = app.warning
    return warning.value.replace("\\", "")


NO_EXPRESSIONS = ("(?:ab){99999999}", "((a{100}){100}){100}", "(?=a)", r"\bthe", "(")
BAD = [
    (HOME, {"model": "no-such-org/no-such-model"}, "not on this machine"),
    (HOME, {"model": "no/such/thing"}, "neither a folder"),
    (HOME, {"model": str(ROOT / "docs")}, "no weights"),
    *((HOME, {"text": name}, "is not available; showing") for name in ("gone", "../../etc/passwd", "<b>**x**")),
    *((PATTERNS, {"pattern": OWN_RULE, "first": one}, "RE2 takes") for one in NO_EXPRESSIONS),
    (REMOVED, {"off": "L2H1 L9H1"}, "There is no L9H1 in this model"),
    (COMPARE, {"compare_with": "another model", "b_model": "nobody/nothing"}, "not on this machine"),
    (COMPARE, {"compare_with": "heads removed", "b_off": "L9"}, "There is no L9 in this model"),
    (COMPARE, {"compare_with": "shuffled text", "layout": "separated"}, "has no sentences to separate"),
    (CORPUS, {"study": ELSEWHERE, "study_folder": "~nobody-of-that-name/x"}, "no folder"),
]  # fmt: skip
NO_CORPUS = {
    "": "Name a folder", "/nowhere/at/all": "There is no text at", str(ROOT / CORPUS): "cannot be read as texts",
    "~nobody-of-that-name/x": "", "/proc/self": "", "x" * 5000: "", "a\0b": "",
}  # fmt: skip


@pytest.mark.parametrize(("page", "address", "says"), BAD, ids=str)
def test_a_link_that_cannot_be_followed_gets_one_sentence(page: str, address: dict[str, str], says: str) -> None:
    app = opened(page, **address)
    assert says in only_warning(app) and "<b>" not in app.warning[0].value
    assert app.header or page == CORPUS


@pytest.mark.parametrize("path", NO_CORPUS, ids=lambda path: path[:20])
def test_a_corpus_that_cannot_be_read_is_said_before_the_start(path: str) -> None:
    app = opened(CORPUS, corpus_source=ON_DISK, tab="Start a study")
    app.text_input(key="corpus_path").set_value(path).run()
    sentences = [caption.value.replace("\\", "") for caption in app.caption]
    assert not app.exception
    assert any(NO_CORPUS[path] in one and one.startswith(":material/info:") for one in sentences)


UNREADABLE = {"   \n\n ": "Paste or type a text", "?!... 😀": "no word", "a" * 2_000_001: "2,000,001 characters"}
UNUSUAL = [
    "word", "I typed [SEP] and [CLS] here. They are text.", "<script>alert(1)</script> **bold** $x$ :red[no]. \0 ends.",
    "مرحبا بالعالم. كيف حالك؟ e\u0301a o\u0308.", "x" * 5000, "你好。再见。",
]  # fmt: skip
NO_TEXTS = [("photo.txt", b"\x89PNG\0\0\0\rIHDR" + bytes(100), "binary file"),
    ("table.CSV", b"id,body\r\n1,A row.\r\n", "A table holds many texts")]  # fmt: skip
NAMES = ["nul\0name.txt", "two\nlines.txt", "x" * 5000 + ".txt", "a/../b.txt"]


def test_what_is_no_text_gets_one_sentence_and_the_last_result_stays(app: AppTest) -> None:
    before = shown(app).text
    for text, says in UNREADABLE.items():
        paste(app, text)
        assert says in only_warning(app) and "Still showing" in only_warning(app), text[:20]
        assert shown(app).text == before
    for name, data, says in NO_TEXTS:
        upload(app, name, data)
        assert says in only_warning(app), name
        assert shown(app).text == before


@pytest.mark.long
def test_unusual_texts_and_names_are_analysed(app: AppTest) -> None:
    for text in UNUSUAL:
        paste(app, text)
        assert not app.exception and not app.warning, text[:20]
        assert shown(app).text == text, text[:20]
    for number, name in enumerate(NAMES):
        upload(app, name, f"Note {number}. It has two sentences.".encode())
        assert not app.exception and not app.warning, name[:20]
        assert f"Note {number}" in shown(app).text, name[:20]


def test_too_few_tokens_without_special_tokens(app: AppTest) -> None:
    paste(app, "a")
    app.toggle(key="special").set_value(False).run()
    assert "two tokens" in only_warning(app)
