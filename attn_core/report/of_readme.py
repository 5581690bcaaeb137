"""The figures and the table that the documents show, made from a sample text, so that they do not lag behind the program."""

import re
from pathlib import Path

from attn_core.analysis.one_text import Analysis, analyze
from attn_core.charts.notebook import KINDS, chart
from attn_core.charts.paper import Caption, to_svg
from attn_core.errors import InputError
from attn_core.findings.verdicts import findings
from attn_core.io.atomic_files import write_file
from attn_core.io.markdown import markdown
from attn_core.io.paths import shown
from attn_core.models.files import MINILM, ModelSpec
from attn_core.report.cells import of_verdicts
from attn_core.texts.documents import Sample, samples

FIGURES = ("roles", "layers")  # of `charts.notebook`
TABLE = re.compile(r"(<!-- python -m attn_core figures -->\n).*?(<!-- end of it -->)", re.DOTALL)


def sample() -> Sample:
    """The text that all of it is of: the one that the dashboard opens with."""
    return samples()[0]


def analysed() -> Analysis:
    """That text, read by the model that comes with the project."""
    return analyze(sample().text, ModelSpec(MINILM), language=sample().language)


def figures(analysis: Analysis) -> dict[str, str]:
    """File name -> SVG."""
    note = f"{sample().title}, {MINILM.rsplit('/', 1)[-1]}"
    made = {name: chart(analysis, name) for name in FIGURES}
    return {
        f"{name}.svg": to_svg(figure, Caption(KINDS[name].title.format("Mean distance"), note, analysis.provenance))
        for name, figure in made.items()
    }


def verdicts(analysis: Analysis) -> str:
    """The verdicts as a table in Markdown."""
    table = of_verdicts(findings(analysis))
    return markdown(table.head, table.rows)


def write(project: Path) -> list[Path]:
    """Write docs/figures, and the table into its place in docs/results.md. Raises InputError where there is no such place."""
    page = project / "docs" / "results.md"
    text = page.read_text("utf-8") if page.is_file() else ""
    if not TABLE.search(text):
        raise InputError(
            f"{shown(page)} has no place for the table: this command is for a copy of the project's repository."
        )
    analysis = analysed()
    table = verdicts(analysis)
    files = {project / "docs" / "figures" / name: svg for name, svg in figures(analysis).items()}
    files[page] = TABLE.sub(lambda place: f"{place[1]}\n{table}\n\n{place[2]}", text)
    for file, words in files.items():
        file.parent.mkdir(exist_ok=True)
        write_file(file, words.encode())
    return [*files]
