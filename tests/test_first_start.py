"""The dashboard on a machine that never ran Streamlit, with nobody to answer a question."""

import os
from pathlib import Path

from tests.served import served


def test_it_starts_with_an_empty_home_and_closed_input(tmp_path: Path) -> None:
    set_by_nobody = {name: value for name, value in os.environ.items() if not name.startswith("STREAMLIT_")}
    home = {"HOME": str(tmp_path), "USERPROFILE": str(tmp_path), "BROWSER": "true"}
    with served(tmp_path / "log", set_by_nobody | home, options=()) as server:
        assert server.answers(), (tmp_path / "log").read_text()
