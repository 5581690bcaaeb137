"""The way of `ablate`: count what removed heads change, phase after phase, and put the tables together.

run_ablation(Corpus("novels/"), ModelSpec(), Path("ablations/novels"), AblationSettings("curve"))
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd

from attn_core.errors import InputError
from attn_core.interventions.labels import labelled_corpus
from attn_core.interventions.opened import Ablation
from attn_core.interventions.phases import SHARD_CHARACTERS, Phases, half_of, of_every_head, of_heads
from attn_core.interventions.settings import AblationSettings
from attn_core.io.tables import table_files
from attn_core.models.files import ModelSpec
from attn_core.models.removal import named_heads
from attn_core.runs.folder import KINDS
from attn_core.runs.run import ALONE, Workers, begun
from attn_core.study.corpus import Corpus
from attn_core.study.runner import run_study
from attn_core.study.settings import StudySettings
from attn_core.study.subjects import with_baselines

OF_ALL = {"importance": of_every_head, "curve": of_every_head}


def run_ablation(
    corpus: Corpus, spec: ModelSpec, out: Path, settings: AblationSettings, workers: Workers = ALONE
) -> Ablation:
    """Measure what is not measured yet, and put it together.

    Raises InputError, in one sentence, where it cannot begin or go on; what was measured stays.
    """
    corpus.check(out)
    labelled = None if settings.labels is None else labelled_corpus(settings.labels)
    with begun(KINDS["ablation"], out, workers) as run:
        model = run.model(spec)
        heads = named_heads(settings.heads, model.facts.layers, model.facts.heads) if settings.heads else ()
        # The settings as the manifest has them, the labelled texts by their digest; heads: those that are removed together.
        identity = {name: value for name, value in asdict(settings).items() if name != "labels"} | {
            "heads": [str(head) for head in heads],
            "labels_sha256": None if labelled is None else labelled.fingerprint(),
        }
        run.agrees(model=model.facts, corpus=corpus.identity(), settings=identity)
        if not run.pooled:
            roles: Sequence[str] = ()
            if settings.role is not None:
                roles = _roles(corpus, spec, out / "roles", settings, workers)
            work = Phases(run, model, corpus, settings, labelled, roles)
            tables = of_heads(work, heads) if heads else OF_ALL[settings.what](work)
            provenance = provenance_of(run.manifest, tables["texts"])
            run.pool(lambda: table_files(tables, provenance))
    return Ablation.open(out)


def _roles(corpus: Corpus, spec: ModelSpec, out: Path, settings: AblationSettings, workers: Workers) -> Sequence[str]:
    """The role of each head, by a study of the texts that choose. Raises InputError where none has the one that goes first."""
    how = StudySettings(language=settings.language, shard_characters=SHARD_CHARACTERS)
    study = run_study(half_of(corpus, 0), with_baselines([spec], layout=settings.layout), out, how, workers)
    roles = study.of().heads["role"].tolist() if study.has("heads") else []
    if settings.role not in roles:
        known = f"roles here are {', '.join(sorted(set(roles)))}" if roles else "the texts are too short to tell roles"
        raise InputError(f"No head has the role {settings.role!r}: {known}.")
    return roles


def provenance_of(manifest: Mapping[str, Any], texts: pd.DataFrame) -> dict[str, object]:
    """Where the tables come from. texts: the table of what was read."""
    model, corpus, settings = manifest["model"], manifest["corpus"], dict(manifest["settings"])
    heads = settings.pop("heads")
    everything = len(heads) == model["layers"] * model["heads"]
    read = texts["problem"].isna()
    return {
        "model": model["name"], "revision": model["revision"], "corpus_sha256": corpus["fingerprint"],
        **{name: corpus[name] for name in ("column", "documents", "limit", "groups") if corpus.get(name)},
        "removed": "all heads" if everything else " ".join(heads),
        **settings,
        "units": "groups of texts" if corpus.get("groups") else "texts",
        "units_read": int(texts.loc[read, "group"].nunique()),
        "texts": int((read & (texts["part"] == 0)).sum()), "bad_texts": int((~read).sum()),
        "program_version": manifest["program"]["version"],
    }  # fmt: skip
