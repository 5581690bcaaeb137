"""A download that is shown works, however many sessions run meanwhile."""

from collections import Counter
from types import SimpleNamespace

import pytest
from streamlit.runtime import media_file_manager
from streamlit.runtime.media_file_storage import MediaFileStorageError
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage

from attn_core.ui.shell import shown_downloads
from attn_core.ui.shell.shown_downloads import BETWEEN, RUNS, ShownDownloads


class Server:
    """What Streamlit does with its manager of files as the pages of sessions run, and what a browser asks of it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.session, self.now = "one", 1000.0
        self.storage = MemoryMediaFileStorage("/media")
        monkeypatch.setattr(media_file_manager, "_get_session_id", lambda: self.session)
        monkeypatch.setattr(shown_downloads, "get_script_run_ctx", lambda: SimpleNamespace(session_id=self.session))
        monkeypatch.setattr(shown_downloads.time, "monotonic", lambda: self.now)
        self.manager = ShownDownloads(self.storage)

    def begins(self, session: str) -> None:
        self.session = session
        self.manager.clear_session_refs()

    def shows(self, content: str) -> str:
        return self.manager.add_deferred(lambda: content, "text/csv", "main 3", "table.csv", element_id="csv")

    def runs(self, session: str) -> str:
        self.begins(session)
        button = self.shows(f"of {session}")
        self.manager.remove_orphaned_files()
        return button

    def saves(self, button: str) -> str:
        return self.manager.execute_deferred(button).rpartition("/")[2]

    def fetches(self, name: str) -> bytes:
        return self.storage.get_file(name).content


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Server:
    return Server(monkeypatch)


def test_a_button_works_while_its_page_runs_again_and_other_sessions_end_their_runs(server: Server) -> None:
    shown = server.runs("one")
    server.begins("one")  # it still stands on the screen
    for number in range(20):
        server.runs(f"other {number}")
        server.now += BETWEEN
    assert server.fetches(server.saves(shown)) == b"of one"


def test_what_was_made_for_a_click_waits_for_the_browser(server: Server) -> None:
    made = server.saves(server.runs("one"))
    for number in range(20):
        server.runs(f"other {number}")
    assert server.fetches(made) == b"of one"


def test_nothing_is_kept_for_ever(server: Server) -> None:
    first = server.runs("one")
    made = server.saves(first)
    for _ in range(RUNS):
        server.now += BETWEEN
        last = server.runs("one")
    for file in (lambda: server.saves(first), lambda: server.fetches(made)):
        with pytest.raises(MediaFileStorageError):
            file()
    assert server.fetches(server.saves(last)) == b"of one"
    assert len(server.manager._deferred_callables) == RUNS
    server.manager.clear_session_refs("one")
    server.now += BETWEEN
    server.manager.remove_orphaned_files()
    assert not server.manager._deferred_callables and server.manager.runs == Counter()


def test_the_server_makes_its_manager_of_this_class() -> None:
    from streamlit.runtime import runtime

    import attn_core.ui.shell.server  # noqa: F401

    assert runtime.MediaFileManager is ShownDownloads
