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
from attn_core.models.controls import CONTROLS
from attn_core.models.files import ModelSpec
from attn_core.segmentation.scores import score_collections
from attn_core.study.corpus import Corpus
from attn_core.study.opened import Study
from attn_core.study.runner import run_study
from attn_core.study.settings import StudySettings
from attn_core.study.subjects import Subject, with_baselines
from tests.columns.described import described, table_of
from tests.families import SERVED, TEXT, Folder, save_whole
from tests.patterns.made_up import WORDS, gap_file
from tests.study.made_up import write_corpus

Exported = Mapping[Source, list[tuple[str, pd.DataFrame]]]


@pytest.fixture(scope="module")
def exported(
    tiny_folder: Folder, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Exported, list[Mapping[str, object]]]:
    """The tables of every source, of a tiny model, and the provenance of each source."""
    folder, spec = tmp_path_factory.mktemp("exported"), ModelSpec(str(tiny_folder("bert")))
    analysis = analyze(TEXT, spec)
    corpus = Corpus(str(write_corpus(folder / "texts", texts=4)))
    whole = ModelSpec(str(save_whole(folder / "whole", SERVED["bert"])))
    steps = with_baselines([Subject("run", whole, step=1)], CONTROLS, seeds=1)
    grouped = replace(corpus, groups=r"(\d+)")
    study = run_study(grouped, steps, folder / "study", StudySettings(every_setting=True, entropy=True))
    copy = analyze(TEXT, ModelSpec(spec.name, copy=("untrained", 1)))
    compared = Comparison({"one": analysis, "its copy": copy})
    related = _with_relations(folder / "annotated", spec)
    (folder / "long.txt").write_text(TEXT * 9, encoding="utf-8")  # with pairs enough for roles
    of_roles = run_study(
        Corpus(str(folder / "long.txt")), spec, folder / "of_roles", StudySettings(stable_roles=True, sources=True)
    )
    (folder / "labels.csv").write_text(
        "text,label\na boat,sea\na pier,sea\na rope,land\na cup,land\n", encoding="utf-8"
    )
    gold = folder / "gold"
    gold.mkdir()
    (gold / "a_b.txt").write_text(TEXT + "\n==========\n" + TEXT, encoding="utf-8")
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
            ("segmentation-scores", score_collections([gold], analysis.reading.model, ["even_cuts"])),
        ],
    }  # fmt: skip
    sources: list[Any] = [analysis, study, related, compared, *ablations]
    return found, [one.provenance for one in sources]


def _with_relations(folder: Path, spec: ModelSpec) -> Study:
    """A study whose texts come with relations, choices between two names among them."""
    folder.mkdir()
    (folder / "made-up.conllu").write_text(WORDS, encoding="utf-8")
    (folder / "gap.tsv").write_text(gap_file(8), encoding="utf-8")
    return run_study(Corpus(str(folder)), spec, folder.parent / "study-of-relations")


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
