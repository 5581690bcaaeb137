"""The series that comes with the project is the one that docs/results.md tells of."""

from pathlib import Path

from attn_core.series.opened import in_markdown, open_series

ROOT = Path(__file__).parents[2]


def test_the_results_have_the_table_of_the_sample() -> None:
    (folder,) = (ROOT / "attn_core" / "series" / "sample").iterdir()
    series = open_series(folder)
    assert in_markdown(series) in (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    assert len(series.tables["heads"]) == 48 * len(series.numbers)
