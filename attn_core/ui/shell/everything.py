"""All that a page rests on in one archive: tables, findings with their numbers and firmness, keywords, the page's figures."""

from collections.abc import Mapping

import pandas as pd

from attn_core.analysis.one_text import Analysis
from attn_core.findings.robustness import SoFar
from attn_core.findings.table import findings_table
from attn_core.findings.verdicts import findings
from attn_core.io.tables import table_files
from attn_core.study.opened import Study
from attn_core.ui.caches.other_settings import so_far
from attn_core.ui.choice import Choice
from attn_core.ui.findings.firmness import firm_of
from attn_core.ui.widgets.downloads import SavedFigure, archive_menu, archived, begin_figures


def everything_button(results: Analysis | Study, choice: Choice) -> None:
    """A menu: the format of the tables, and the archive, which is made when it is asked for."""
    figures, known = begin_figures(), so_far(choice)
    archive_menu(
        "Download everything",
        choice.title,
        lambda form: archive(results, choice, form, figures, known),
        "tables-as",
        "Tables, findings, figures of this page",
        "stretch",
    )


def archive(
    results: Analysis | Study, choice: Choice, form: str, figures: Mapping[str, SavedFigure], known: SoFar
) -> dict[str, bytes]:
    """The files by name. form: of `downloads.WITHOUT`. known: the verdicts under other settings, as far as they are known."""
    of_study = results.files() if isinstance(results, Study) else {}
    files = {**of_study, **table_files(_tables(results, choice, known), results.provenance)}
    every = (figure.files(name) for name, figure in dict(figures).items())
    drawn = {f"figures/{file}": data for files_of_one in every for file, data in files_of_one.items()}
    return archived(files, choice.title, form) | drawn


def _tables(results: Analysis | Study, choice: Choice, known: SoFar) -> dict[str, pd.DataFrame]:
    """The findings, and of a text all its tables and its keywords; a study has its tables as files."""
    made = findings(results)
    firm = firm_of(made, known, choice)
    tables = {"findings": findings_table(made, {claim: words.replace("*", "") for claim, words in firm.items()})}
    if isinstance(results, Study):
        return tables
    from attn_core.analysis.keywords import keywords  # nltk takes most of a second to import

    return {**results.tables(), **tables, "keywords": keywords(results.reading)}
