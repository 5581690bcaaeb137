"""A download that is shown works: what Streamlit keeps for its buttons, kept as long as a browser may show them.

Streamlit forgets the buttons of a session when its page begins to run again, and lets go of what nobody refers to whenever
any session's run ends: of a button that still stands on a busy screen, and of a file that was made for a click and not yet
fetched. Many sessions at once see both.
"""

import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.media_file_storage import MediaFileStorage
from streamlit.runtime.scriptrunner import get_script_run_ctx

RUNS = 8  # of a page: so many later its buttons may be forgotten, unless the session ends
BETWEEN = 60.0  # seconds between two rounds of letting go; a file goes in the second round that finds it unused


class ShownDownloads(MediaFileManager):
    """Streamlit's manager of files, which lets go of them later."""

    def __init__(self, storage: MediaFileStorage) -> None:
        super().__init__(storage)
        self.runs, self.swept = Counter[str](), time.monotonic()

    def clear_session_refs(self, session_id: str | None = None) -> None:
        """As a run of a page begins, which names no session, or as a session ends."""
        if session_id is not None:
            self.runs.pop(session_id, None)
            super().clear_session_refs(session_id)
        elif context := get_script_run_ctx():
            self.runs[context.session_id] += 1

    def add_deferred(
        self, data_callable: Callable[[], Any], mimetype: str | None, coordinates: str, *more: Any, **named: Any
    ) -> str:
        """A button at a place of the page, beside those that stood there in the last runs."""
        context = get_script_run_ctx()
        turn = self.runs[context.session_id] % RUNS if context else 0
        return super().add_deferred(data_callable, mimetype, f"{coordinates} {turn}", *more, **named)

    def remove_orphaned_files(self) -> None:
        """After any run of any session."""
        if time.monotonic() - self.swept >= BETWEEN:
            self.swept = time.monotonic()
            super().remove_orphaned_files()
