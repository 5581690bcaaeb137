"""The notebook of views: one plain file, of which nothing is lost, and nothing is kept where nothing shall be."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from attn_core.errors import InputError
from attn_core.io import disk_cache
from attn_core.report.document import Report, html
from attn_core.report.kept_views import KeptView, Notebook, chapter, read_views
from attn_core.texts.documents import samples


@pytest.fixture
def notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Notebook:
    monkeypatch.setenv(disk_cache.VARIABLE, str(tmp_path / "cache"))
    return Notebook(tmp_path / "studies")


def view(note: str, page: str = "Distances", **address: str) -> KeptView:
    return KeptView(page, tuple(address.items()), note, "My own words", "474 tokens, a model", ("C2 Reach: -4%",))


def notes(notebook: Notebook) -> list[str]:
    return [one.note for one in Notebook(notebook.file.parent).views()]  # as after a restart


def test_views_are_kept_reordered_and_deleted(notebook: Notebook) -> None:
    assert notebook.views() == []
    one, two, three = map(view, ("one", "two", "three"))
    for each in (one, two, three):
        assert notebook.keep(each) is None
    assert notes(notebook) == ["one", "two", "three"]
    notebook.move(three, -1)
    notebook.move(one, -1)  # there is no room above
    assert notes(notebook) == ["one", "three", "two"]
    notebook.delete(one)
    notebook.delete(one)  # another tab had deleted it
    assert notes(notebook) == ["three", "two"]
    assert notebook.views()[0] == three


def test_sessions_that_keep_at_once_lose_nothing(notebook: Notebook) -> None:
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda number: notebook.keep(view(str(number))), range(24)))
    assert sorted(map(int, notes(notebook))) == list(range(24))


@pytest.mark.parametrize(
    "damage", [b"{", b"[]", b'{"program": "attn-core views 1", "views": [{"page": "Heads"}]}', b"\xff\xfe"]
)
def test_a_damaged_file_is_kept_aside_and_told(notebook: Notebook, damage: bytes) -> None:
    notebook.file.parent.mkdir()
    for number in (1, 2):
        notebook.file.write_bytes(damage)
        with pytest.raises(InputError, match="is damaged"):
            notebook.views()
        with pytest.raises(InputError):
            notebook.delete(view("one"))
        assert notebook.file.read_bytes() == damage
        aside = notebook.keep(view(f"after {number}"))
        assert aside is not None and aside.read_bytes() == damage and aside.name == f"kept_views.damaged-{number}.json"
        assert notes(notebook) == [f"after {number}"]


def test_a_page_that_is_none_makes_no_link(notebook: Notebook) -> None:
    notebook.keep(view("one"))
    told = json.loads(notebook.file.read_text())
    told["views"][0]["page"] = "javascript:alert(1)//"
    notebook.file.write_text(json.dumps(told))
    with pytest.raises(InputError):
        read_views(notebook.file)


def test_nothing_is_kept_where_the_cache_is_off(notebook: Notebook, monkeypatch: pytest.MonkeyPatch) -> None:
    notebook.keep(view("one"))
    monkeypatch.setenv(disk_cache.VARIABLE, "off")
    assert not notebook.kept and notebook.views() == []


def test_the_link_holds_the_whole_address() -> None:
    assert view("", "Anchor tokens", a="L1H1", text="My texts").link == "Anchor_tokens?a=L1H1&text=My+texts"
    assert view("", "Home").link == "./"


def test_a_chapter_names_no_text_of_the_users_unless_it_may() -> None:
    own = view("what I saw", mine="My own words", **{"text-b": "My own words again", "q": "2"})
    bare, whole = (html(Report("r", "k", (chapter([own], quote),))).decode() for quote in (False, True))
    assert "My own words" in whole and "mine=My+own+words" in whole
    assert "My own words" not in bare and "My+own" not in bare and "mine" not in bare
    for page in (bare, whole):
        assert "what I saw" in page and "Distances?q=2" not in page.split("Address")[0] and "C2 Reach: -4%" in page
    sample = samples()[0].title
    assert sample in html(Report("r", "k", (chapter([KeptView("Home", (), "", sample, "")], False),))).decode()
