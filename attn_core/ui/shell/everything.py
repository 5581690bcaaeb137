"""All that a page rests on in one archive: tables, findings with their numbers and firmness, keywords, the page's figures."""

import json
from collections.abc import Mapping

import pandas as pd
import streamlit as st

from attn_core.analysis.one_text import Analysis
from attn_core.columns.dictionary import in_markdown
from attn_core.findings.robustness import SoFar
from attn_core.findings.table import findings_table
from attn_core.findings.verdicts import findings
from attn_core.io.tables import table_files, to_zip
from attn_core.study.opened import Study
from attn_core.ui.caches.other_settings import so_far
from attn_core.ui.choice import Choice
from attn_core.ui.findings.firmness import LABELS, firm_of
from attn_core.ui.widgets.downloads import SavedFigure, begin_figures, slug

WITHOUT = {"CSV": ".parquet", "Parquet": ".csv", "both": None}  # what an archive of a format leaves out
PROVENANCE = "provenance.json"


def everything_button(results: Analysis | Study, choice: Choice) -> None:
    """A menu: the format of the tables, and the archive, which is made when it is asked for."""
    figures, known = begin_figures(), so_far(choice)
    with st.popover("Download everything", icon=":material/folder_zip:", width="stretch"):
        form = st.segmented_control(
            "Tables as", list(WITHOUT), default="CSV", required=True, key="tables-as", bind="query-params"
        )
        st.download_button(
            "Download as ZIP",
            data=lambda: to_zip(archive(results, choice, form, figures, known)),
            file_name=f"{slug(choice.title)}.zip",
            mime="application/zip",
            icon=":material/folder_zip:",
            help="Every table, the findings with their numbers, the figures of this page as SVG, what each column "
            "means, and a provenance file: "
            "versions, model, title and hash of the text or corpus, settings.",
            on_click="ignore",
            width="stretch",
        )


def archive(
    results: Analysis | Study, choice: Choice, form: str, figures: Mapping[str, SavedFigure], known: SoFar
) -> dict[str, bytes]:
    """The files by name. form: of `WITHOUT`. known: the verdicts under other settings, as far as they are known."""
    told = dict(results.provenance)
    if "measure" in told:
        told["measure"] = LABELS[told["measure"]]
    of_study = results.files() if isinstance(results, Study) else {}
    files = {**of_study, **table_files(_tables(results, choice, known), told)}
    about = {"title": choice.title, **json.loads(files[PROVENANCE])}
    files[PROVENANCE] = json.dumps(about, indent=2, ensure_ascii=False).encode()
    files["columns.md"] = in_markdown().encode()
    files |= {f"figures/{name}.svg": figure.svg() for name, figure in dict(figures).items()}
    left_out = WITHOUT[form]
    return {name: data for name, data in files.items() if not (left_out and name.endswith(left_out))}


def _tables(results: Analysis | Study, choice: Choice, known: SoFar) -> dict[str, pd.DataFrame]:
    """The findings, and of a text all its tables and its keywords; a study has its tables as files."""
    made = findings(results)
    firm = firm_of(made, known, choice)
    tables = {"findings": findings_table(made, {claim: words.replace("*", "") for claim, words in firm.items()})}
    if isinstance(results, Study):
        return tables
    from attn_core.analysis.keywords import keywords  # nltk takes most of a second to import

    return {**results.tables(), **tables, "keywords": keywords(results.reading)}
