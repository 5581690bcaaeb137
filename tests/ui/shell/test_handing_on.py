"""Reports of what is on the screen."""

from pathlib import Path

import pytest

import attn_core
from attn_core.report.document import html
from attn_core.texts.documents import samples
from attn_core.ui.shell.sidebar import _report
from tests.quick import quick_only
from tests.ui.pages import opened

OWN = "The lamp is lit at dusk. The keeper climbs the stair, and the lamp turns. Nobody sees the lamp <b>go</b> out."
pytestmark = pytest.mark.model


def test_the_report_of_a_text_of_the_users_does_not_name_it() -> None:
    results = attn_core.analyze(OWN)
    bare = html(_report(results, "The lamp is lit at dusk.")).decode()
    assert "The keeper" not in bare and "The lamp" not in bare and results.provenance["text_sha256"] in bare
    assert samples()[0].title in html(_report(results, samples()[0].title)).decode()


@pytest.mark.parametrize("page", quick_only(["pages/0_Home.py", "pages/8_Compare.py"], "pages/0_Home.py"))
def test_a_report_can_be_had(page: str, studies: Path) -> None:
    app = opened(page)
    keys = {one.proto.id for one in app.get("download_button")}
    wanted = ["report-text", *(["report-comparison"] if "Compare" in page else [])]
    assert all(any(key in one for one in keys) for key in wanted)
