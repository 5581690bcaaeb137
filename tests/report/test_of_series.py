"""The report of a training says what its tables say, and of which steps."""

import shlex
from pathlib import Path

import pytest
from attn_core.series.opened import Series, open_series

from attn_core.__main__ import _parser
from attn_core.report import commands
from attn_core.report.document import Report, Section
from attn_core.report.kinds import report_of_folder

SAMPLE = Path(__file__).parents[2] / "attn_core" / "series" / "sample" / "from-noise"


@pytest.fixture(scope="module")
def sample() -> Series:
    return open_series(SAMPLE)


@pytest.fixture(scope="module")
def report() -> Report:
    return report_of_folder(SAMPLE, quote=False)


def part(report: Report, heading: str) -> Section:
    return next(section for section in report.sections if section.heading.startswith(heading))


def test_layers_and_heads_have_the_numbers_of_the_tables(sample: Series, report: Report) -> None:
    learned, layers, heads = part(report, "In short").tables
    assert [row[5] for row in learned.rows if row[4] == "learned"] == ["3,072", "3,072", "1,024"]
    table = sample.tables["layers"].set_index(["step", "layer"])
    for row in layers.rows:
        first, last = (table.loc[(step, int(row[0]))] for step in (0, 3072))
        told = [f"{one['mean_distance'] / one['chance_mean_distance']:.2f}" for one in (first, last)]
        assert [*row[1:3]] == told
    most = sample.tables["drift"].query("step == 0").nlargest(1, "drift").iloc[0]
    assert heads.rows[0][0] == f"L{most['layer']:.0f}H{most['head']:.0f}"
    assert heads.rows[0][4] == f"{most['drift']:.2f}"


def test_every_step_has_the_fingerprint_of_its_weights(sample: Series, report: Report) -> None:
    steps, _ = part(report, "What was read").tables
    assert [row[-1] for row in steps.rows] == sample.tables["steps"]["revision"].tolist()


def test_every_figure_has_its_caption_and_its_words(report: Report) -> None:
    figures = part(report, "In short").figures
    assert len(figures) == 8
    for figure in figures:
        assert "log axis" in figure.caption and len(figure.alt) > 20


def test_its_command_asks_for_the_same_steps_again(sample: Series, report: Report) -> None:
    steps = sample.tables["steps"]
    options = _parser().parse_args(shlex.split(commands.of_series(sample.manifest, steps).splitlines()[0])[3:])
    assert (options.model, str(options.checkpoints), options.share) == (sample.manifest["model"], "CHECKPOINTS", 0.01)
    told = commands.of_series(sample.manifest, steps, ["--twins", "--entropy"]).splitlines()[0]
    assert _parser().parse_args(shlex.split(told)[3:]).twins and told in part(report, "To make it again").code
    revisions = steps.assign(name="step" + steps["step"].astype(str))
    options = _parser().parse_args(shlex.split(commands.of_series(sample.manifest, revisions).splitlines()[0])[3:])
    assert options.revisions == revisions["name"].tolist() and options.steps == sample.numbers
