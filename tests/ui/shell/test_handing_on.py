"""Reports of what is on the screen."""

from pathlib import Path

import pytest

import attn_core
from attn_core.report.document import html
from attn_core.texts.documents import samples
from attn_core.ui.choice import Choice
from attn_core.ui.shell.handing_on import report_of
from tests.quick import quick_only
from tests.ui.pages import opened

OWN = "The lamp is lit at dusk. The keeper climbs the stair, and the lamp turns. Nobody sees the lamp <b>go</b> out."
pytestmark = pytest.mark.model


def test_the_report_of_a_text_of_the_users_names_it_only_where_it_may_be_quoted() -> None:
    results = attn_core.analyze(OWN)
    name = "The lamp is lit at dusk. The keeper climbs the stair, and"
    choice = Choice(results.reading.model.spec, name, OWN)
    bare, whole = (html(report_of(results, choice, quote)).decode() for quote in (False, True))
    assert "The keeper" not in bare and results.provenance["text_sha256"] in bare
    assert name in whole and "lamp &lt;b&gt;go&lt;/b&gt; out." in whole
    sample = Choice(choice.spec, samples()[0].title, samples()[0].text)
    assert samples()[0].title in html(report_of(results, sample, False)).decode()


@pytest.mark.parametrize("page", quick_only(["pages/0_Home.py", "pages/8_Compare.py"], "dashboard.py"))
def test_a_report_can_be_had(page: str, studies: Path) -> None:
    app = opened(page)
    keys = {one.proto.id for one in app.get("download_button")}
    wanted = ["report-report", *(["report-comparison"] if "Compare" in page else [])]
    assert all(any(key in one for one in keys) for key in wanted)
