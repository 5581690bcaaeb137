"""A long text window by window: the same files as all of it at once, and nothing left of what fails."""

import json
from hashlib import sha256
from pathlib import Path

import pandas as pd
import pytest

from attn_core.analysis.long_text import write_tables
from attn_core.analysis.one_text import TABLES, analyze
from attn_core.errors import TextError
from attn_core.similarity.strong_pairs import Settings
from attn_core.similarity.words import Unit
from attn_core.texts.documents import read_document
from tests.families import TEXT, Tiny

LONG = " ".join([TEXT] * 12)


@pytest.mark.parametrize(
    ("settings", "unit"), [(Settings(), "tokens"), (Settings("centred", 0.05, with_special=False), "words")]
)
def test_window_by_window_gives_the_files_of_all_at_once(
    tiny_model: Tiny, tmp_path: Path, settings: Settings, unit: Unit
) -> None:
    model = tiny_model("bert")
    whole = analyze(LONG, model, settings, unit=unit)
    assert len(whole.measured) > 2
    said: list[tuple[str, int, int]] = []
    rows = write_tables(
        model,
        read_document(LONG),
        "plain",
        settings,
        tmp_path / "out",
        unit=unit,
        progress=lambda *told: said.append(told),
    )
    windows = len(whole.reading.passages)
    assert said[: windows + 1] == [("window", done, windows) for done in range(windows + 1)]
    assert {what for what, *_ in said[windows + 1 :]} == {"sentence"}
    assert said[-1][1] == said[-1][2]
    files = whole.files()
    assert {file.name for file in (tmp_path / "out").iterdir()} == set(files)
    for name in TABLES:
        assert (tmp_path / "out" / f"{name}.csv").read_bytes() == files[f"{name}.csv"], name
        (tmp_path / "at_once").write_bytes(files[f"{name}.parquet"])
        pieces, at_once = (
            pd.read_parquet(file) for file in (tmp_path / "out" / f"{name}.parquet", tmp_path / "at_once")
        )
        pd.testing.assert_frame_equal(pieces, at_once)
        assert rows[name] == len(at_once)
    told = json.loads((tmp_path / "out" / "provenance.json").read_text())
    assert {**told, **json.loads(files["provenance.json"])} == told
    written = {file.name: sha256(file.read_bytes()).hexdigest() for file in (tmp_path / "out").iterdir()}
    assert told["files"] == {name: digest for name, digest in written.items() if name != "provenance.json"}


def test_a_text_without_a_pair_leaves_no_table(tiny_model: Tiny, tmp_path: Path) -> None:
    with pytest.raises(TextError, match="A pair needs two tokens"):
        write_tables(tiny_model("bert"), read_document("a"), "plain", Settings(with_special=False), tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []
