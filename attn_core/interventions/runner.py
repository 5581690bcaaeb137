"""Ablations over many texts: each phase counts the shards, then the tables are made.

For all heads: the importance of each on all texts, then a pruning curve, with the order chosen on every second text and
measured on the others. For given heads: their effect, and that of as many random heads of the same layers. Labelled
texts, if given, come last.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from attn_core.errors import InputError
from attn_core.head import Head, every_head
from attn_core.interventions import ablation_tables
from attn_core.interventions.ablation import Ablation
from attn_core.interventions.effects import Removal
from attn_core.interventions.labels import labelled_corpus, labels_of
from attn_core.interventions.orders import LEAST, at_random, by_role, by_value, counts_up_to, sets_alike
from attn_core.interventions.worker import AblationJob, AblationSettings, Phase, measure
from attn_core.io.exports import table_files
from attn_core.models.files import ModelSpec
from attn_core.models.removal import named_heads
from attn_core.runs.folder import KINDS
from attn_core.runs.job import Piece, RunModel
from attn_core.runs.run import ALONE, Run, Workers, open_run_folder
from attn_core.study.corpus import Corpus, shards
from attn_core.study.runner import run_study
from attn_core.study.settings import StudySettings
from attn_core.study.subjects import with_baselines

SHARD_CHARACTERS = 2_000  # about one window: the most work that an interruption loses
LABELLED_CHARACTERS = 20_000  # of labelled texts, of which only the first window is read
TOO_FEW = (
    "A curve is shown on other texts than those that choose its order: give two texts at least that can be read, or "
    "let --documents blank-line cut one into its paragraphs."
)
Tables = dict[str, pd.DataFrame]


def run_ablation(
    corpus: Corpus, spec: ModelSpec, out: Path, settings: AblationSettings, workers: Workers = ALONE
) -> Ablation:
    """Run an ablation in a folder, or resume it, and return the result.

    Raises InputError if it cannot begin or continue; finished shards are kept.

    run_ablation(Corpus("novels/"), ModelSpec(), Path("ablations/novels"), AblationSettings("curve"))
    """
    corpus.check(out)
    labelled = None if settings.labels is None else labelled_corpus(settings.labels)
    with open_run_folder(KINDS["ablation"], out, workers) as run:
        model = run.model(spec)
        heads = named_heads(settings.heads, model.facts.layers, model.facts.heads) if settings.heads else ()
        identity = {name: value for name, value in asdict(settings).items() if name != "labels"} | {
            "heads": [str(head) for head in heads],
            "labels_sha256": None if labelled is None else labelled.fingerprint(),
        }
        run.check_manifest(model=model.facts, corpus=corpus.identity(), settings=identity)
        if not run.pooled:
            roles: Sequence[str] = ()
            if settings.role is not None:
                roles = _roles(corpus, spec, out / "roles", settings, workers)
            work = _Work(run, model, corpus, settings, labelled, roles)
            made = _of_heads(work, heads) if heads else _of_every_head(work)
            provenance = provenance_of(run.manifest, made["texts"])
            run.pool(lambda: table_files(made, provenance))
    return Ablation.open(out)


@dataclass(frozen=True)
class Half(Corpus):
    """Every second text, or group of texts, of a corpus. at: 0 for the texts that choose an order, 1 for the others."""

    at: int = 0

    def texts(self) -> Iterator[Piece]:
        """The texts of this half, numbered as in the whole corpus."""
        return (text for text in super().texts() if text.group % 2 == self.at)

    def fingerprint(self) -> str:
        """SHA-256 of the corpus and of which half it is."""
        return sha256(f"{super().fingerprint()}|{self.at}".encode()).hexdigest()


@dataclass
class _Work:
    """A run with its model and texts. roles: of each head, for an order by role. done: number of finished phases."""

    run: Run
    model: RunModel
    corpus: Corpus
    settings: AblationSettings
    labelled: Corpus | None
    roles: Sequence[str]
    done: int = 0

    @property
    def shape(self) -> tuple[int, int]:
        """(layers, heads per layer)."""
        return self.model.facts.layers, self.model.facts.heads

    def counted(self, phase: Phase, removals: Sequence[Removal]) -> Path:
        """The folder of the shards of a phase, after those that were missing are counted."""
        phases = 1 + (self.settings.what == "curve") + (self.labelled is not None)
        texts, size = self.corpus.texts(), SHARD_CHARACTERS
        if phase == "curve":
            texts = Half(**asdict(self.corpus), at=1).texts()
        elif phase == "labelled" and self.labelled is not None:
            texts, size = self.labelled.texts(), LABELLED_CHARACTERS
        jobs = (
            AblationJob(
                replace(shard, done=(self.done + shard.done) / phases),
                self.model, phase, tuple(removals), self.settings,
            )
            for shard in shards(texts, size)
        )  # fmt: skip
        folder = self.run.folder / phase
        self.run.count_missing_shards(
            measure, jobs, folder, {"removals": [list(map(str, removal)) for removal in removals]}
        )
        self.done += 1
        return folder


def _of_every_head(work: _Work) -> Tables:
    """The tables of the importance of every head, and of a pruning curve if the settings ask for one."""
    counted = work.counted("importance", [(head,) for head in every_head(*work.shape)])
    (texts, effects), (_, estimated) = (ablation_tables.by_text(counted, name) for name in ("embedding", "estimated"))
    effects, estimated = (values.reshape(-1, *work.shape) for values in (effects, estimated))
    made = {
        "importance": ablation_tables.importance_table(effects, estimated),
        "texts": ablation_tables.texts_of(counted),
    }
    if work.settings.what == "curve":
        chose = texts % 2 == 0
        if chose.all() or not chose.any():
            raise InputError(TOO_FEW)
        made |= _curve(work, effects[chose])
    return made


def _curve(work: _Work, choosing: np.ndarray) -> Tables:
    """The tables of a pruning curve. choosing: (text, layer, head), effects on the texts that choose the order."""
    effects, role = choosing.mean(axis=0), work.settings.role
    name = LEAST if role is None else f"{role} first"
    order = by_value(effects) if role is None else by_role(work.roles, role, effects)
    counts = counts_up_to(effects.size)
    firsts = [
        [tuple(sorted(one[:count])) for count in counts]
        for one in (order, *at_random(work.shape, seed=work.settings.seed))
    ]
    removals = list(dict.fromkeys(removal for of_order in firsts for removal in of_order))
    _, shown = ablation_tables.by_text(work.counted("curve", removals), "embedding")
    at = {removal: number for number, removal in enumerate(removals)}
    own, *random = (shown[:, [at[removal] for removal in of_order]] for of_order in firsts)
    curve = ablation_tables.curve_table(name, own, counts, np.stack(random))
    rows = [(name, place, *head.row) for place, head in enumerate(order, start=1)]
    places = pd.DataFrame(rows, columns=["order", "place", "layer", "head"])
    made = {"curve": curve.assign(chosen_on=len(choosing), shown_on=len(shown)), "orders": places}
    return made | _accuracy(work, firsts[0], counts)


def _of_heads(work: _Work, heads: Sequence[Head]) -> Tables:
    """The tables of the effect of some heads removed together, and of random heads of the same layers."""
    counted = work.counted("effect", [tuple(heads), *sets_alike(heads, work.shape, seed=work.settings.seed)])
    _, effects = ablation_tables.by_text(counted, "embedding")
    made = {"effects": ablation_tables.effect_table(effects), "texts": ablation_tables.texts_of(counted)}
    return made | _accuracy(work, [tuple(heads)], [len(heads)])


def _accuracy(work: _Work, removals: Sequence[Removal], counts: Sequence[int]) -> Tables:
    """The table of accuracies of the whole model and under each removal; empty without labelled texts."""
    if work.labelled is None:
        return {}
    texts, embeddings = ablation_tables.by_text(work.counted("labelled", [(), *removals]), "embeddings")
    labels = labels_of(work.labelled)
    if len(texts) < len(labels):
        raise InputError("A labelled text has no word that the model reads: take it out of the file.")
    embeddings = embeddings.reshape(len(labels), 1 + len(removals), -1).transpose(1, 0, 2)
    return {"accuracy": ablation_tables.accuracy_table(embeddings, [0, *counts], labels, work.settings.seed)}


def _roles(corpus: Corpus, spec: ModelSpec, out: Path, settings: AblationSettings, workers: Workers) -> Sequence[str]:
    """The role of each head in a study of the first half of the texts. Raises InputError if no head has the role."""
    how = StudySettings(language=settings.language, shard_characters=SHARD_CHARACTERS)
    study = run_study(Half(**asdict(corpus)), with_baselines([spec], layout=settings.layout), out, how, workers)
    roles = study.of().heads["role"].tolist() if study.has("heads") else []
    if settings.role not in roles:
        known = f"roles here are {', '.join(sorted(set(roles)))}" if roles else "the texts are too short for roles"
        raise InputError(f"No head has the role {settings.role!r}: {known}.")
    return roles


def provenance_of(manifest: Mapping[str, Any], texts: pd.DataFrame) -> dict[str, object]:
    """The provenance of the tables. texts: the table of the texts that were read."""
    model, corpus, settings = manifest["model"], manifest["corpus"], dict(manifest["settings"])
    heads = settings.pop("heads")
    read = texts["problem"].isna()
    return {
        "model": model["name"], "revision": model["revision"], "corpus_sha256": corpus["fingerprint"],
        **{name: corpus[name] for name in ("column", "documents", "limit", "groups") if corpus.get(name)},
        "removed": " ".join(heads),
        **settings,
        "units": "groups of texts" if corpus.get("groups") else "texts",
        "units_read": int(texts.loc[read, "group"].nunique()),
        "texts": int((read & (texts["part"] == 0)).sum()), "bad_texts": int((~read).sum()),
        "assumed_encodings": texts.loc[texts["encoding"].notna(), "text"].nunique(),
        "program_version": manifest["program"]["version"],
    }  # fmt: skip
