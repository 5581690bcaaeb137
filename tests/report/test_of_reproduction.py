"""The report of a reproduction says what its tables say, claim by claim, and how to count it again."""

import re
import shlex
from collections.abc import Callable
from html import unescape
from pathlib import Path

import pandas as pd
import pytest
from attn_core.findings.bars import BARS, BY_EFFECT
from attn_core.report.of_reproduction import of_reproduction
from attn_core.reproduction.conclusions import SUBJECTS, USUAL, claims_of, curve_table, standings
from attn_core.reproduction.opened import Reproduction, open_reproduction

from attn_core import __version__
from attn_core.__main__ import _parser
from attn_core.charts.claims import claim_picture
from attn_core.models.controls import CONTROLS
from attn_core.report import commands
from attn_core.report.document import Report, Section, html
from attn_core.study.in_words import percent

SAMPLE = Path(__file__).parents[2] / "attn_core" / "reproduction" / "sample" / "minilm-on-sample-texts"


@pytest.fixture(scope="module")
def sample() -> Reproduction:
    return open_reproduction(SAMPLE)


@pytest.fixture(scope="module")
def report(sample: Reproduction) -> Report:
    return of_reproduction(sample, False)


def part(report: Report, heading: str) -> Section:
    return next(section for section in report.sections if section.heading.startswith(heading))


def test_every_claim_has_its_verdict_in_the_model_and_in_its_controls(sample: Reproduction, report: Report) -> None:
    (table,) = part(report, "In short").tables
    controls = ["untrained twin", "permuted twin", "shuffled text"]
    assert list(table.head[2:]) == ["all-MiniLM-L6-v2", *(f"all-MiniLM-L6-v2, {name}" for name in controls)]
    places = {control: at for at, control in enumerate(SUBJECTS, 2)}
    rows = {row[0]: row for row in table.rows}
    assert list(rows) == [bars.name for bars in BARS]
    for one in standings(sample.verdicts):
        assert rows[one.bars.name][places[one.control]] == f"{one.verdict}: {one.how_many}"


def test_the_picture_of_the_claims_leads_with_the_numbers_of_the_usual_choice(
    sample: Reproduction, report: Report
) -> None:
    own = [one for one in standings(sample.verdicts) if one.control == "none"]
    claims = claims_of(own)
    assert part(report, "In short").figures[0].alt == str(claim_picture(claims).description)
    assert claims["number"].tolist() == [one.number for one in own]
    usual = sample.verdicts.query("control == 'none'")
    usual = usual[(usual[list(USUAL)] == pd.Series(USUAL)).all(axis=1)].set_index("effect_name")
    for row in claims.to_dict("records"):
        stored = usual.loc[row["effect"]]
        assert (row["verdict"], row["unclear"]) == (stored["verdict"], stored["unclear"])
        assert row["untrained"] == pytest.approx(stored["effect"] - stored["untrained_difference"])
        assert row["learned"] == stored["learned"]


def test_every_row_has_its_verdict_above_its_curve(sample: Reproduction, report: Report) -> None:
    entries = part(report, "Claim by claim").entries
    own = [one for one in standings(sample.verdicts) if one.control == "none"]
    for bars, entry, one in zip(BARS, entries, own, strict=True):
        (told,), (drawn,) = entry.told, entry.figures
        assert entry.heading.startswith(bars.name) and f"{one.verdict} ({one.how_many}); {one.origin}." in told
        assert f"Upwards: {bars.words};" in drawn.caption
        assert drawn.title.startswith(bars.claim) and bars.rule in drawn.caption
        assert "combinations: " in drawn.alt and "untrained twin" in drawn.alt


def test_numbers_and_what_choices_explain_are_those_of_the_tables(sample: Reproduction, report: Report) -> None:
    usual, whole = part(report, "Tables").tables
    own = [one for one in standings(sample.verdicts) if one.control == "none"]
    assert [row[1] for row in usual.rows] == [one.number for one in own]
    explained = {row[0]: dict(zip(whole.head[1:], row[1:], strict=True)) for row in whole.rows}
    assert explained[BY_EFFECT["separators"].name]["by measure"] == "–"
    curve = sample.curves.query("effect_name == 'reach' and control == 'none'").iloc[0]
    assert explained[BY_EFFECT["reach"].name]["by measure"] == percent(curve["by_measure"])


def test_no_effect_that_stands_in_a_folded_table_is_told_in_prose_too(report: Report) -> None:
    tables = [table for heading in ("Tables", "Every choice in numbers") for table in part(report, heading).tables]
    effects = {cell for table in tables for row in table.rows for cell in row if "[" in cell}
    assert len(effects) > 500 and part(report, "Tables").folded
    entries = part(report, "Claim by claim").entries
    prose = " ".join((*part(report, "In short").told, *(told for entry in entries for told in entry.told)))
    assert not [effect for effect in effects if effect.split(" [")[0].lstrip("+-") in prose]


def test_every_combination_stands_in_a_folded_table(sample: Reproduction, report: Report) -> None:
    tables = part(report, "Every choice in numbers").tables
    assert len(tables) == len(BARS) and all(table.folded for table in tables)
    curve = curve_table(sample.verdicts, "noise", sample.models[0], extension=True)
    (rows,) = [table.rows for table in tables if table.title.startswith("C7")]
    assert len(rows) == len(curve) == 90
    for row, told in zip(rows, curve.to_dict("records"), strict=True):
        assert row[5] == f"{told['effect']:.2f} [{told['low']:.2f}, {told['high']:.2f}]"
        assert row[1] == f"{100 * told['share']:g}%" and (row[2] == "–") == (told["unit"] == "words")
        assert row[6:8] == (f"{told['chance']:.2f}", f"{told['untrained']:.2f}") and row[-1] == told["verdict"]
    page = html(report).decode().replace('<details class="part">', "<details>")
    assert page.count("<details>") == page.count("</details>") == page.count("<summary>")


def test_a_stranger_meets_no_mark_of_ours_and_no_two_ways_to_write_a_percentage(report: Report) -> None:
    page = html(report).decode()
    words = unescape(re.sub("<[^>]+>", " ", re.sub('<style>.*?</style>|src="[^"]*"', "", page, flags=re.DOTALL)))
    assert "*" not in words and re.search(r"\d %|-0\.0\b", words) is None
    assert "bad texts" not in words and f"Python package attn_core, version {__version__}" in words
    margins = {row[0]: row[-1] for row in part(report, "Method").tables[0].rows}
    assert margins["C1 Pairs not shared"] == "10 points", "of a difference of shares"


def test_the_corpus_and_the_weights_have_their_fingerprints(sample: Reproduction, report: Report) -> None:
    corpora, readings, _ = part(report, "What was read").tables
    assert corpora.rows[0][-1] == sample.corpora["fingerprint"].iloc[0]
    assert [row[-1] for row in readings.rows] == sample.readings["revision"].tolist()


def test_its_command_asks_for_the_same_again(sample: Reproduction) -> None:
    first, last = commands.of_reproduction(sample).splitlines()
    options = _parser().parse_args(shlex.split(first)[3:])
    assert (options.texts, options.name, options.windows) == ("sample_texts", "sample_texts", 4)
    assert options.models == sample.models and set(options.controls) == set(CONTROLS)
    assert (options.documents, options.language, options.twins) == ("file", "auto", 3)
    assert last == commands.REPORT


def changed(sample: Reproduction, **tables: pd.DataFrame) -> Reproduction:
    """The sample with other tables."""
    stored = {f"{name}.parquet": table.to_parquet() for name, table in tables.items()}
    return Reproduction(sample.folder, sample.manifest, {**sample.stored, **stored})


def twice(made: Callable[[pd.DataFrame], pd.DataFrame], table: pd.DataFrame) -> pd.DataFrame:
    return pd.concat([table, made(table)], ignore_index=True)


@pytest.mark.long
def test_several_models_stand_side_by_side_and_a_model_that_failed_says_why(sample: Reproduction) -> None:
    def other(table: pd.DataFrame) -> pd.DataFrame:
        return table.assign(model="someone/other")

    names = ("verdicts", "curves", "readings")
    tables = {name: twice(other, getattr(sample, name)) for name in names}
    tables["readings"].loc[tables["readings"]["model"] == "someone/other", "problem"] = "It has no weights."
    made = of_reproduction(changed(sample, **tables), False)
    _, grid = part(made, "In short").figures
    assert "by 2 subjects" in grid.alt
    assert all(len(one.told) == len(one.figures) == 2 for one in part(made, "Claim by claim").entries)
    failed = [row[0] for row in part(made, "What was read").tables[1].rows if "It has no weights." in row]
    assert failed == ["someone/other"] * len(sample.readings)


@pytest.mark.long
def test_several_corpora_have_parts_of_their_own(sample: Reproduction) -> None:
    names = ("verdicts", "curves", "readings", "corpora")
    tables = {name: twice(lambda table: table.assign(corpus="novels"), getattr(sample, name)) for name in names}
    both = changed(sample, **tables)
    headings = [section.heading for section in of_reproduction(both, False).sections]
    assert {"In short: sample_texts", "In short: novels", "Tables: novels"} <= {*headings}
    assert len(commands.of_reproduction(both).splitlines()) == 3
