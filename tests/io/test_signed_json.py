"""JSON that can tell whether it is what was written."""

from pathlib import Path

import pytest

from attn_core.io.signed_json import read_json, to_json


def test_what_was_written_is_read(tmp_path: Path) -> None:
    for value in ({"texts": 3, "name": "a café"}, {}, {"name": "t\udcff.txt"}):
        (tmp_path / "it.json").write_bytes(to_json(value))
        assert read_json(tmp_path / "it.json") == value


@pytest.mark.parametrize("damage", [lambda text: text.replace("3", "4"), lambda text: text[:-3], lambda _text: "[]"])
def test_what_was_changed_is_not(damage, tmp_path: Path) -> None:
    (tmp_path / "it.json").write_text(damage(to_json({"texts": 3}).decode()))
    assert read_json(tmp_path / "it.json") is None
    assert read_json(tmp_path / "none.json") is None
