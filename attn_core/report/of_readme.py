"""The figures and tables that the documents show, made from what comes with the project, so that they do not lag behind it."""

import re
from functools import partial
from pathlib import Path

from attn_core.analysis.one_text import Analysis, analyze
from attn_core.charts.paper import to_svg
from attn_core.errors import InputError
from attn_core.findings.bars import BARS
from attn_core.findings.verdicts import findings
from attn_core.io.atomic_files import write_file
from attn_core.io.paths import shown
from attn_core.io.tables import markdown
from attn_core.models.controls import CONTROLS, NAMES
from attn_core.models.files import MINILM, ModelSpec
from attn_core.report.cells import of_verdicts
from attn_core.report.notebook import KINDS, chart
from attn_core.reproduction.conclusions import IN_SHORT, standings
from attn_core.reproduction.opened import SAMPLES, open_reproduction
from attn_core.texts.documents import Sample, samples

FIGURES = ("roles", "layers")  # of `report.notebook`
TABLE = re.compile(r"(<!-- python -m attn_core figures -->\n).*?(<!-- end of it -->)", re.DOTALL)


def sample() -> Sample:
    """The text that all of it is of: the one that the dashboard opens with."""
    return samples()[0]


def analysed() -> Analysis:
    """That text, read by the model that comes with the project."""
    return analyze(sample().text, ModelSpec(MINILM), language=sample().language)


def figures(analysis: Analysis) -> dict[str, str]:
    """File name -> SVG."""
    return {f"{name}.svg": to_svg(chart(analysis, name), KINDS[name].title.format("Mean distance")) for name in FIGURES}


def verdicts(analysis: Analysis) -> str:
    """The verdicts as a table in Markdown."""
    table = of_verdicts(findings(analysis))
    return markdown(table.head, table.rows)


def reproduced() -> str:
    """The rows of the claims in the reproduction that comes with the project, beside its controls, as a table in Markdown."""
    (sample_folder,) = SAMPLES.iterdir()
    found = {(one.bars, one.control): one for one in standings(open_reproduction(sample_folder).verdicts)}
    rows = []
    for bars in BARS:
        model = found[bars, "none"]
        counts = [model.verdicts, model.learned, *(found[bars, control].verdicts for control in CONTROLS)]
        rows.append(
            [
                bars.name,
                model.number,
                *(", ".join(f"{IN_SHORT.get(word, word)} {n}" for word, n in of.items()) for of in counts),
            ]
        )
    return markdown(["row", "effect", "verdicts", "learned?", *(NAMES[control] for control in CONTROLS)], rows)


def write(project: Path) -> list[Path]:
    """Write docs/figures, and the tables into their places. Raises InputError where there is no such place."""
    pages = [project / "README.md", project / "docs" / "results.md"]
    texts = [page.read_text("utf-8") if page.is_file() else "" for page in pages]
    for page, text in zip(pages, texts, strict=True):
        if not TABLE.search(text):
            raise InputError(
                f"{shown(page)} has no place for the table: this command is for a copy of the project's repository."
            )
    analysis = analysed()
    files = {project / "docs" / "figures" / name: svg for name, svg in figures(analysis).items()}
    for page, text, table in zip(pages, texts, (reproduced(), verdicts(analysis)), strict=True):
        files[page] = TABLE.sub(partial(_filled, table), text)
    for file, words in files.items():
        file.parent.mkdir(exist_ok=True)
        write_file(file, words.encode())
    return [*files]


def _filled(table: str, place: re.Match[str]) -> str:
    return f"{place[1]}\n{table}\n\n{place[2]}"
