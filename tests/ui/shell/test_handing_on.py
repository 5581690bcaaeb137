"""Reports of what is on the screen, and views that are kept with a note."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import attn_core
from attn_core.findings.bars import BARS
from attn_core.findings.robustness import SoFar, verdicts
from attn_core.io import disk_cache
from attn_core.report.document import html
from attn_core.report.kept_views import FILE, Notebook
from attn_core.similarity.strong_pairs import Settings
from attn_core.texts.documents import samples
from attn_core.ui.choice import Choice
from attn_core.ui.shell.handing_on import NOTE, report_of
from tests.quick import quick_only
from tests.ui.pages import opened

OWN = "The lamp is lit at dusk. The keeper climbs the stair, and the lamp turns. Nobody sees the lamp <b>go</b> out."
pytestmark = pytest.mark.model


def keep(app: AppTest, note: str) -> AppTest:
    app.text_area(key=NOTE).set_value(note)
    app.button(key="keep-view").click().run()
    assert not app.exception
    return app


def told(app: AppTest) -> list[str]:
    return [one.value for one in app.markdown]


def test_a_kept_view_stands_on_home_after_a_restart_is_moved_and_deleted(studies: Path) -> None:
    app = keep(opened("pages/2_Distances.py", a="L2H3"), "reaches *least*")
    assert app.text_area(key=NOTE).value == "" and app.success[0].value == "Kept."
    assert app.button(key="to-kept").label == "See the kept views on Home"
    home = keep(opened(), "the map")
    notebook = Notebook(studies)
    first, second = notebook.views()
    assert (first.page, first.address, first.title) == ("Distances", (("a", "L2H3"),), samples()[0].title)
    assert [number[:2] for number in first.numbers] == ["C2", "C2", "C3", "C3"]
    assert (second.page, len(second.numbers)) == ("Home", len(BARS))
    home = opened()
    assert r"reaches \*least\*" in told(home) and "the map" in told(home)
    home.button(key="view-Down-0").click().run()
    assert [view.page for view in notebook.views()] == ["Home", "Distances"]
    home.button(key="view-delete-0").click().run()
    assert [view.note for view in notebook.views()] == ["reaches *least*"]
    assert "the map" not in told(home)


def test_damaged_views_are_told_and_put_aside_when_the_next_is_kept(studies: Path) -> None:
    studies.mkdir()
    (studies / FILE).write_text("{")
    app = opened()
    assert any("is damaged" in warning.value for warning in app.warning)
    keep(app, "after")
    assert [one.name for one in studies.glob("*.damaged-*")] == ["kept_views.damaged-1.json"]
    assert [view.note for view in Notebook(studies).views()] == ["after"]


def test_nothing_is_kept_where_the_cache_is_off(studies: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(disk_cache.VARIABLE, "off")
    app = opened()
    assert not [one for one in app.button if one.key == "keep-view"]
    assert not studies.exists()


def test_the_report_of_a_text_of_the_users_names_it_only_where_it_may_be_quoted() -> None:
    results = attn_core.analyze(OWN)
    name = "The lamp is lit at dusk. The keeper climbs the stair, and"
    choice = Choice(results.reading.model.spec, name, OWN)
    words = Settings(unit="words")
    known = SoFar({settings: verdicts([results.reading], settings) for settings in (choice.settings, words)})
    bare, whole = (html(report_of(results, choice, known, quote, ())).decode() for quote in (False, True))
    assert "The keeper" not in bare and results.provenance["text_sha256"] in bare
    assert name in whole and "lamp &lt;b&gt;go&lt;/b&gt; out." in whole
    assert "over words" in bare
    sample = Choice(choice.spec, samples()[0].title, samples()[0].text)
    assert samples()[0].title in html(report_of(results, sample, known, False, ())).decode()


@pytest.mark.parametrize("page", quick_only(["dashboard.py", "pages/8_Compare.py"], "dashboard.py"))
def test_a_report_can_be_had(page: str, studies: Path) -> None:
    app = opened(page)
    keys = {one.proto.id for one in app.get("download_button")}
    wanted = ["report-report", *(["report-comparison"] if "Compare" in page else [])]
    assert all(any(key in one for one in keys) for key in wanted)
