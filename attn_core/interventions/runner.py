"""The way of `ablate`: ask what removed heads change, question after question, and put the answers together.

run_ablation(Corpus("novels/"), ModelSpec(), Path("ablations/novels"), AblationSettings("curve"))
"""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd

from attn_core.interventions.every_head import of_all, of_entropy, of_heads
from attn_core.interventions.opened import Ablation
from attn_core.interventions.questions import SHARD_CHARACTERS, Questions
from attn_core.interventions.settings import AblationSettings
from attn_core.interventions.units import Units
from attn_core.io.file_digest import sha256_of
from attn_core.io.tables import table_files
from attn_core.models.files import ModelSpec
from attn_core.models.removal import REPLACED_BY, named_heads
from attn_core.runs.kinds import KINDS
from attn_core.runs.run import ALONE, Workers, begun
from attn_core.study.corpus import Corpus
from attn_core.study.opened import Study
from attn_core.study.runner import run_study
from attn_core.study.settings import StudySettings


def provenance_of(manifest: Mapping[str, Any], texts: pd.DataFrame, units: str) -> dict[str, object]:
    """Where the tables come from. texts: the table of what was read; units: what one of them is."""
    model, corpus, settings = manifest["model"], manifest["corpus"], dict(manifest["settings"])
    heads = settings.pop("heads")
    everything, whole = len(heads) == model["layers"] * model["heads"], settings["what"] == "entropy" and not heads
    told = {
        "model": model["name"], "revision": model["revision"], "corpus_sha256": corpus["fingerprint"],
        **{name: corpus[name] for name in ("column", "documents", "limit", "groups") if corpus.get(name)},
        "removed": "all heads" if everything else " ".join(heads),
        **settings, "replaced_by": "" if whole else REPLACED_BY[settings["replace"]],
        "units": units, "units_read": int(texts.loc[texts["problem"].isna(), "group"].nunique()),
        "texts": int((texts["problem"].isna() & (texts["part"] == 0)).sum()),
        "bad_texts": int(texts["problem"].notna().sum()),
        "program_version": manifest["program"]["version"],
    }  # fmt: skip
    if settings["what"] == "curve":
        told["split"] = f"of {units} the 1st, 3rd, 5th, ... choose the order, the others are shown"
    return told


STUDY = "study"  # the folder of the heads' statistics and roles, a study of its own


def run_ablation(
    corpus: Corpus, spec: ModelSpec, out: Path, settings: AblationSettings, workers: Workers = ALONE
) -> Ablation:
    """Measure what is not measured yet, and put it together.

    Raises InputError, in one sentence, where it cannot begin or go on; what was measured stays.
    """
    corpus.check(out)
    labelled = settings.labelled()
    with begun(KINDS["ablation"], out, workers) as run:
        model = run.model(spec)
        facts = model.facts
        heads = named_heads(settings.heads, facts.layers, facts.heads) if settings.heads else ()
        # The settings as the manifest has them, the file by its digest; heads: those that are removed together.
        identity = {name: value for name, value in asdict(settings).items() if name != "labels"} | {
            "heads": [str(head) for head in heads],
            "labels_sha256": None if settings.labels is None else sha256_of(settings.labels),
        }
        if run.agrees(model=facts, corpus=corpus.identity(), settings=identity) and not run.pooled:
            study = None
            if settings.what in ("importance", "curve"):
                run.source.close()  # the study has its own workers
                study = _studied(corpus, spec, out, settings, workers)
            work, units = Questions(run, model, corpus, settings, labelled), Units.of(corpus).in_words
            if settings.what == "entropy":
                tables = of_entropy(work, heads)
            else:
                tables = of_heads(work, heads) if heads else of_all(work, study)
            provenance = provenance_of(run.manifest, tables["texts"], units)
            run.pool(lambda: table_files(tables, provenance))
    return Ablation.open(out)


def _studied(corpus: Corpus, spec: ModelSpec, out: Path, settings: AblationSettings, workers: Workers) -> Study | None:
    """What the heads look like: of a curve on the texts that choose alone. None where no text is long enough to tell."""
    texts = Units.of(corpus, "choosing" if settings.what == "curve" else "all")
    how = StudySettings(layout=settings.layout, language=settings.language,
                        shard_characters=SHARD_CHARACTERS)  # fmt: skip
    study = run_study(texts, spec, out / STUDY, how, workers)
    return study if study.has("heads") else None
