"""The benchmark's rows on removals, of a tiny model: the rows are there, and their ratios are of what they say."""

from attn_core.benchmark import text
from attn_core.benchmark.text import rows_of_removals
from attn_core.models.files import ModelSpec
from attn_core.texts.passages import Passage
from tests.families import Folder, Tiny


def test_passes_are_as_many_as_they_say(tiny_model: Tiny, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    rows: list[int] = []
    monkeypatch.setattr(text, "last_states", lambda _model, batch: rows.append(len(batch)))
    model = tiny_model("bert")
    (passage, *_) = text._windows(model)
    text._forward_passes(model, [passage, passage], 100)
    assert sum(rows) == 200 and max(rows) * len(passage) <= text.BATCH_TOKENS


def test_every_row_has_its_seconds_and_its_ratio(tiny_folder: Folder) -> None:
    rows = list(rows_of_removals(2, ModelSpec(str(tiny_folder("bert")))))
    assert [ratio for *_, ratio, _ in rows][0] == "1.00 x"
    assert [target for *_, target in rows] == ["", "<= 1.15 x", "<= 0.2 x of the importance", "< 2 s"]
    seconds = [float(measured.removesuffix(" s")) for _, measured, *_ in rows]
    assert all(value >= 0 for value in seconds) and "2 windows" in rows[0][0]
    assert isinstance(rows[1], tuple) and "12 heads" in rows[1][0]


def test_windows_are_the_fullest_first(tiny_model: Tiny) -> None:
    found: list[Passage] = text._windows(tiny_model("bert"))
    assert [len(one) for one in found] == sorted(map(len, found), reverse=True)
