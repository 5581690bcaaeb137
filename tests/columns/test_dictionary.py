"""Every column that any table has is described, and every description is of a column."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from attn_core.__main__ import main
from attn_core.analysis.keywords import keywords
from attn_core.analysis.one_text import analyze
from attn_core.columns.dictionary import SOURCES, Source, in_markdown, provenance_column, tables
from attn_core.comparison.differences import Comparison
from attn_core.interventions.runner import run_ablation
from attn_core.interventions.worker import AblationSettings
from attn_core.models.baselines import CONTROLS
from attn_core.models.files import ModelSpec
from attn_core.segmentation.evaluation import score_collections
from attn_core.study.corpus import Corpus
from attn_core.study.runner import run_study
from attn_core.study.settings import StudySettings
from attn_core.study.subjects import Subject, with_baselines
from tests.columns.described import described, table_of
from tests.families import SERVED, TEXT, save_whole
from tests.patterns.made_up import annotated
from tests.study.made_up import write_corpus, write_texts

Exported = Mapping[Source, list[tuple[str, pd.DataFrame]]]


@pytest.fixture(scope="module")
def exported(tiny: ModelSpec, tmp_path_factory: pytest.TempPathFactory) -> tuple[Exported, list[Mapping[str, object]]]:
    """The tables of every source, of a tiny model, and the provenance of each source."""
    folder, spec = tmp_path_factory.mktemp("exported"), tiny
    analysis = analyze(TEXT, spec)
    corpus = Corpus(str(write_corpus(folder / "texts", texts=4)))
    whole = ModelSpec(str(save_whole(folder / "whole", SERVED["bert"])))
    steps = with_baselines([Subject("run", whole, step=1)], CONTROLS, seeds=1)
    grouped = replace(corpus, groups=r"(\d+)")
    study = run_study(grouped, steps, folder / "study", StudySettings(every_setting=True, entropy=True))
    copy = analyze(TEXT, ModelSpec(spec.name, copy=("untrained", 1)))
    compared = Comparison({"one": analysis, "its copy": copy})
    related = run_study(annotated(folder / "annotated"), spec, folder / "related")
    long = write_texts(folder / "long", {"long.txt": TEXT * 9})  # with pairs enough for roles
    of_roles = run_study(long, spec, folder / "of_roles", StudySettings(stable_roles=True, sources=True))
    write_texts(folder, {"labels.csv": "text,label\na boat,sea\na pier,sea\na rope,land\na cup,land\n"})
    write_texts(folder / "gold", {"a_b.txt": f"{TEXT}\n==========\n{TEXT}"})
    ablations = [
        run_ablation(corpus, of, folder / asked.what, asked)
        for of, asked in (
            (spec, AblationSettings("curve", labels=folder / "labels.csv")),
            (spec, AblationSettings("heads", ("L1H1",))),
        )
    ]

    def stored(*runs: Any) -> list[tuple[str, pd.DataFrame]]:
        names = ((run, Path(name)) for run in runs for name in run.files())
        return [(name.stem, run.table(name.stem)) for run, name in names if name.suffix == ".parquet"]

    found: Exported = {
        "text": [*analysis.tables().items(), ("sources", analysis.sources)],
        "study": stored(study, related, of_roles),
        "comparison": [*compared.tables().items()],
        "ablation": stored(*ablations),
        "printed": [
            ("keywords", keywords(analysis.reading)),
            ("segmentation-scores", score_collections([folder / "gold"], analysis.reading.model, ["even_cuts"])),
        ],
    }  # fmt: skip
    sources: list[Any] = [analysis, study, related, compared, *ablations]
    return found, [one.provenance for one in sources]


@pytest.mark.long
def test_every_column_is_described_and_every_description_is_of_a_column(exported) -> None:
    found, provenances = exported
    fields = {name for provenance in provenances for name in provenance} | {"program", "software"}
    undescribed = [
        f"{source}: {name}.{column}"
        for source in SOURCES
        for name, table in found[source]
        for column in table.columns
        if described(table_of(name, source), column) is None and not (name == "subjects" and provenance_column(column))
    ]
    assert undescribed == [], "give them a line in attn_core/columns/columns.toml"
    assert [name for name in fields if provenance_column(name) is None] == []
    for table in tables():
        here = [frame for source in table.sources for name, frame in found[source] if name == table.name]
        columns = {column for frame in here for column in frame.columns}
        names = {one.name for one in table.columns} | {f"chance_{one.name}" for one in table.columns if one.chance}
        assert names - columns == set(), table.name


def test_the_command_prints_every_column(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["columns"]) == 0
    printed = capsys.readouterr().out
    assert printed == in_markdown()
    assert [one.name for table in tables() for one in table.columns if f"| `{one.name}`" not in printed] == []
