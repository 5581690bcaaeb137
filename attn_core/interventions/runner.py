"""The way of `ablate`: what a study's folder, manifest and executors are, for heads that are removed.

    ablate(Corpus("novels/"), ModelSpec(), Path("ablations/novels"), AblationSettings("curve"))

It may be killed at any moment and started again: finished shards stay, and the tables come out the same. Orders of a pruning
curve are chosen on one half of the texts and shown on the other, see `units`.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from attn_core.errors import InputError
from attn_core.head import Head
from attn_core.interventions import tables as made
from attn_core.interventions.curves import counts_up_to
from attn_core.interventions.effects import Removal
from attn_core.interventions.entropies import entropy_of
from attn_core.interventions.job import AblationJob, Measured
from attn_core.interventions.labels import Labelled
from attn_core.interventions.manifest import manifest_of, provenance_of
from attn_core.interventions.measured import (
    ByText,
    alike,
    by_text,
    margins_of,
    places_of,
    said_of,
    texts_of,
    unigrams_of,
)
from attn_core.interventions.opened import Ablation, open_ablation
from attn_core.interventions.orders import DRAWS, Greedy, at_random, by_redundancy, by_role, by_value
from attn_core.interventions.random_sets import sets_alike
from attn_core.interventions.relations import relations
from attn_core.interventions.settings import AblationSettings
from attn_core.interventions.tasks import Tasks, named_rightly
from attn_core.interventions.units import Half, Units
from attn_core.interventions.worker import ASKED, measure
from attn_core.io.code_digest import COUNTING_ABLATIONS, counting_digest
from attn_core.io.tables import table_files
from attn_core.measures.frames import head_frame
from attn_core.measures.statistics import STATISTICS
from attn_core.models.files import ModelSpec
from attn_core.models.intervention import named_heads
from attn_core.patterns.annotated import AnnotatedText
from attn_core.study import folder as files
from attn_core.study.corpus import Corpus
from attn_core.study.executors import MakeExecutor, Source
from attn_core.study.job import ModelFacts
from attn_core.study.opened import Study
from attn_core.study.plan import Piece, Shard, shards
from attn_core.study.progress import Progress, Reporter
from attn_core.study.resumable import agreed_manifest, at_work, completed, counts_alike, is_counted
from attn_core.study.runner import run_study
from attn_core.study.settings import StudySettings
from attn_core.study.worker import describe
from attn_core.texts.documents import Document

SHARD_CHARACTERS = 2_000  # about a window: what can be lost at once
STUDY = "study"  # the folder of the heads' statistics and roles, a study of its own
LEAST, REDUNDANT, GREEDY = "least important first", "most redundant first", "greedy"
BY_ROLE = {"repetition first": "repetition", "anchors first": "anchor", "mixed first": "mixed"}
TRIED = 8  # heads that the greedy order measures again after each removal
UNTIL = 2 * max(made.BARS)  # where it ends
LABELLED = 20  # labelled texts, or snippets with a pronoun, a shard
FEATURES = tuple(one.name for one in STATISTICS if one.feature)  # that importance is held against


def ablate(
    corpus: Corpus,
    spec: ModelSpec,
    out: Path,
    settings: AblationSettings,
    executor: Executor | MakeExecutor | None = None,
    *,
    in_flight: int | None = None,
    threads: int | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Ablation:
    """Measure what is not measured yet, and put it together. Arguments as of `study.runner.run_study`.

    Raises InputError, in one sentence, where it cannot begin or go on; what was measured stays.
    """
    corpus.check()
    labelled, tasks = settings.labelled(), settings.tasks()
    with at_work(out, executor, in_flight, progress, "ablation") as (source, reporter):
        facts = source.ask(describe, spec, threads)
        heads = named_heads(settings.heads, facts.layers, facts.heads) if settings.heads else ()
        manifest = manifest_of(corpus, facts, settings, heads, tasks)
        kept = agreed_manifest(out, manifest)
        if counts_alike(kept, manifest) and not files.is_whole(out / files.TABLES):
            study = None
            if settings.what in ("importance", "curve"):
                source.close()  # the study has its own workers
                study = _studied(corpus, spec, out, settings, executor, in_flight, threads, progress)
            work = _Work(corpus, spec, out, settings, facts, threads, source, reporter, labelled, tasks)
            if settings.what == "entropy":
                tables = work.of_entropy(heads)
            else:
                tables = work.of_heads(heads) if heads else work.of_all(study)
            reporter.tell("pooling")
            provenance = provenance_of(kept, tables["texts"], work.units)
            files.write_folder(out / files.TABLES, table_files(tables, provenance))
        reporter.tell("finished")
        return open_ablation(out)


class _Work:
    """The shards of one ablation, numbered in the order in which they are asked for."""

    def __init__(
        self,
        corpus: Corpus,
        spec: ModelSpec,
        out: Path,
        settings: AblationSettings,
        facts: ModelFacts,
        threads: int | None,
        source: Source,
        reporter: Reporter,
        labelled: Labelled | None,
        tasks: Tasks,
    ) -> None:
        self._corpus, self._out, self._settings, self._labelled, self._tasks = corpus, out, settings, labelled, tasks
        self._model = spec, facts, threads, counting_digest(COUNTING_ABLATIONS)
        self._source, self._reporter = source, reporter
        self._shape, self._number, self._done = (facts.layers, facts.heads), 0, 0.0
        self.units = Units.of(corpus).in_words

    def of_heads(self, heads: Sequence[Head]) -> dict[str, pd.DataFrame]:
        """Tables of some heads removed together, beside as many random heads of the same layers."""
        random = sets_alike(heads, self._shape, DRAWS, self._settings.seed)
        removals = [tuple(heads), *random]
        share = 1 / (1 + bool(self._labelled) + self._tasks.number)  # of the whole, what each question takes
        shards = self._measured("effect", removals, share)
        found = {column: by_text(shards, column) for column in ("embedding", "tokens_effect", "losses", "changes")}
        risen = found["losses"].values[:, 1:] - found["losses"].values[:, :1]
        known = ~np.isnan(risen[:, 0])
        rows = [
            made.effect_row("sentence embedding", found["embedding"].values, len(random)),
            made.effect_row("last states, token by token", found["tokens_effect"].values, len(random)),
        ]
        if known.any():
            rows.append(made.effect_row("loss in bits", risen[known], len(random)))
        tables = {
            "effects": pd.DataFrame(rows),
            "downstream": self._downstream(heads, found["changes"].values.reshape(-1, len(removals), *self._shape)),
            "effects_by_text": pd.DataFrame(
                {
                    "text": found["embedding"].texts,
                    "embedding": found["embedding"].values[:, 0],
                    "tokens_effect": found["tokens_effect"].values[:, 0],
                    "loss": found["losses"].values[:, 0],
                    "loss_without": found["losses"].values[:, 1],
                }
            ),
            "texts": texts_of(shards),
        }
        if self._tasks.number:
            tables["tasks"] = pd.DataFrame(self._asked([(), *removals], share))
        if self._labelled is not None:
            tables["accuracy"] = self._accuracy([tuple(heads)], [len(heads)])
        return tables

    def of_entropy(self, heads: Sequence[Head]) -> dict[str, pd.DataFrame]:
        """How sure of a word the model is, layer by layer, with all heads, and without some where they are named."""
        removals: list[Removal] = [(), tuple(heads)] if heads else [()]
        shards = self._measured("entropy", removals, 1)
        found = [by_text(shards, name, "places").values for name in ("entropy", "cross_entropy")]
        entropy, cross = (values.reshape(len(values), len(removals), -1) for values in found)
        known = ~np.isnan(entropy[:, 0, 0])
        if not known.any():
            raise InputError("No text has a place where a word could be asked for: give longer texts.")
        names = ["all heads", f"without {' '.join(map(str, heads))}"][: len(removals)]
        chance = entropy_of(unigrams_of(shards))
        table = made.entropies_table(entropy[known], cross[known], places_of(shards), chance, names)
        return {"entropies": table, "texts": texts_of(shards)}

    def _asked(self, removals: Sequence[Removal], share: float) -> Iterator[dict[str, object]]:
        """A row a task. removals: none, the chosen heads, random ones. share: of the whole, what a task takes."""
        if self._tasks.snippets:
            shards = self._measured("pronouns", removals, self._done + share)
            found = (margins_of(shards, at, self._shape) for at in range(len(removals)))
            right = np.stack([named_rightly(margins, texts) for texts, margins in found], axis=1)
            yield made.task_row("pronouns whose name is found (GAP)", right, 0.5)
        if self._tasks.gold:
            shards = self._measured("segments", removals, self._done + share)
            pk = by_text(shards, "pk", "sentences").values.reshape(-1, len(removals), 2)
            chance = by_text(shards, "chance_pk", "sentences").values.mean(axis=0)
            for at, number in enumerate(("given", "found")):
                yield made.task_row(f"Pk of gold texts, number of segments {number}", pk[:, :, at], float(chance[at]))

    def of_all(self, study: Study | None) -> dict[str, pd.DataFrame]:
        """Tables of the importance of every head, and of pruning curves where they are asked for."""
        alone = [(Head(*place),) for place in np.ndindex(self._shape)]
        curve = self._settings.what == "curve"
        shards = self._measured("importance", alone, 0.25 if curve else 1)
        found, estimated = by_text(shards, "embedding"), by_text(shards, "estimated")
        effects = found.values.reshape(-1, *self._shape)
        known = None if study is None else study.heads[["layer", "head", "role", *FEATURES]]
        about = None if np.isnan(estimated.values).all() else estimated.values.reshape(effects.shape)
        redundant = alike(shards)
        importance = made.importance_table(effects, about, redundant and redundant[1:], known)
        tables = {"importance": importance, "texts": texts_of(shards)}
        columns = [name for name in ("estimated", "redundancy", *FEATURES) if name in importance]
        if columns:
            tables["relations"] = relations(effects.mean(axis=0), importance[columns], seed=self._settings.seed)
        if known is not None:
            tables["roles"] = made.roles_table(effects, importance["role"].tolist(), self._settings.seed)
        if curve:
            tables |= self._curves(found, shards, importance)
        return tables

    def _curves(self, found: ByText, shards: Sequence[Path], importance: pd.DataFrame) -> dict[str, pd.DataFrame]:
        """Pruning curves on the texts that are shown, of orders that the others chose."""
        chose = found.texts % 2 == 0
        if chose.all() or not chose.any():
            raise InputError(
                "A curve is shown on other texts than those that choose its order: give two texts at least that can be read, "
                "or one of some thousand characters."
            )
        effects = found.values[chose].mean(axis=0).reshape(self._shape)
        orders = self._orders(effects, shards, importance) | {GREEDY: self._greedy(effects)}
        counts = counts_up_to(effects.size)
        draws = at_random(self._shape, DRAWS, self._settings.seed)
        removals = list(
            dict.fromkeys(first for order in [*orders.values(), *draws] for first in _firsts(order, counts))
        )
        measured = self._measured("curve", removals, 0.9 if self._labelled else 1, "shown")
        shown, at = by_text(measured, "embedding").values, {removal: n for n, removal in enumerate(removals)}
        by_order = {name: shown[:, [at[one] for one in _firsts(order, counts)]] for name, order in orders.items()}
        by_chance = np.stack([shown[:, [at[one] for one in _firsts(order, counts)]] for order in draws])
        curve = made.curve_table(by_order, counts, by_chance)
        tables = {
            "curve": curve.assign(chosen_on=int(chose.sum()), shown_on=len(shown)),
            "heads_that_can_go": made.heads_that_can_go_table(curve),
            "orders": pd.concat([_order_frame(name, order) for name, order in orders.items()], ignore_index=True),
        }
        if self._labelled is not None:
            tables["accuracy"] = self._accuracy(list(_firsts(orders[LEAST], counts)), counts)
        return tables

    def _orders(self, effects: np.ndarray, shards: Sequence[Path], importance: pd.DataFrame) -> dict[str, list[Head]]:
        """Every order that needs no further measuring. effects: (layer, head), of the texts that choose."""
        orders = {LEAST: by_value(effects)}
        alike_here = alike(shards, even=True)
        if alike_here is not None:
            orders[REDUNDANT] = by_redundancy(alike_here[0], self._shape)
        if "role" in importance:
            roles = importance["role"].tolist()
            orders |= {name: by_role(roles, role, effects) for name, role in BY_ROLE.items() if role in roles}
        return orders

    def _greedy(self, effects: np.ndarray) -> list[Head]:
        greedy = Greedy(self._shape, until=UNTIL, alone=effects, tried=TRIED)
        while removals := greedy.asked():
            share = 0.25 + 0.4 * len(greedy.gone) / greedy.most
            shards = self._measured("curve", list(map(tuple, removals)), share, "choosing")
            greedy.told(by_text(shards, "embedding").values.mean(axis=0))
        return greedy.gone

    def _accuracy(self, removals: Sequence[Removal], counts: Sequence[int]) -> pd.DataFrame:
        """Of the whole model, and under each removal."""
        assert self._labelled is not None
        shards = self._measured("labelled", [(), *removals], 1)
        found = by_text(shards, "embeddings")
        if len(found.texts) < len(self._labelled.texts):
            raise InputError("A labelled text has no word that the model reads: take it out of the file.")
        embeddings = found.values.reshape(len(found.texts), 1 + len(removals), -1).transpose(1, 0, 2)
        return made.accuracy_table(embeddings, [0, *counts], self._labelled, self._settings.seed, said_of(shards))

    def _downstream(self, heads: Sequence[Head], changes: np.ndarray) -> pd.DataFrame:
        """changes: (text, 1 + random set, layer, head)."""
        low, high = (bound.reshape(self._shape) for bound in made.bounds(changes[:, 0].reshape(len(changes), -1)))
        removed = np.zeros(self._shape, dtype=bool)
        for head in heads:
            removed[head] = True
        chance = changes[:, 1:].mean(axis=(0, 1)) if changes.shape[1] > 1 else np.nan
        columns = {"change": changes[:, 0].mean(axis=0), "low": low, "high": high, "chance_change": chance}
        return head_frame({"removed": removed, **columns}, *self._shape)

    def _measured(
        self, measured: Measured, removals: Sequence[Removal], until: float, half: Half = "all"
    ) -> list[Path]:
        """The shards of one question, all of them there. until: how much of the whole is done at its end."""
        first, begun = self._number, self._done
        for job, counted in completed(measure, self._jobs(measured, removals, until, half, begun), self._source):
            files.write_folder(files.shard_path(self._out, job.shard.number), dict(counted.files))
            self._reporter.counted(job.shard, counted)
        self._done = until
        return [files.shard_path(self._out, number) for number in range(first, self._number)]

    def _jobs(
        self, measured: Measured, removals: Sequence[Removal], until: float, half: Half, begun: float
    ) -> Iterator[AblationJob]:
        """The shards that are not there yet, not whole, or of another question."""
        asked, spec = self._settings, self._model
        again = self._number > 0
        labels = tuple(sorted(set(self._labelled.labels))) if self._labelled and measured == "labelled" else ()
        for shard, given in self._shards(measured, half):
            numbered = replace(shard, number=self._number, done=begun + (until - begun) * shard.done)
            self._number += 1
            job = AblationJob(
                numbered, *spec, measured, tuple(removals), replace=asked.replace, layout=asked.layout,
                language=asked.language, seed=asked.seed, again=again, labels=labels, given=given,
            )  # fmt: skip
            if not (_answers(self._out, job) and is_counted(self._out, numbered, self._reporter)):
                yield job

    def _shards(self, measured: Measured, half: Half) -> Iterator[tuple[Shard, tuple[AnnotatedText | Document, ...]]]:
        """The shards of a question, and of each the texts that a task is asked of."""
        if measured == "labelled":
            assert self._labelled is not None
            names = (f"labelled text {n}" for n in range(1, 1 + len(self._labelled.texts)))
            yield from (
                (shard, ()) for shard in _in_shards(list(zip(names, self._labelled.texts, strict=False)), LABELLED)
            )
        elif measured == "pronouns":
            snippets = self._tasks.snippets
            named = [(snippet.name, snippet.text) for snippet in snippets]
            yield from ((shard, _given(snippets, shard)) for shard in _in_shards(named, LABELLED))
        elif measured == "segments":
            documents = list(self._tasks.gold.values())
            named = [(name, document.text) for name, document in self._tasks.gold.items()]
            yield from ((shard, _given(documents, shard)) for shard in _in_shards(named, 1))
        else:
            yield from ((shard, ()) for shard in shards(Units.of(self._corpus, half), SHARD_CHARACTERS))


def _studied(
    corpus: Corpus,
    spec: ModelSpec,
    out: Path,
    settings: AblationSettings,
    executor: Executor | MakeExecutor | None,
    in_flight: int | None,
    threads: int | None,
    progress: Callable[[Progress], None] | None,
) -> Study | None:
    """What the heads look like: of a curve on the texts that choose alone. None where no text is long enough to tell."""
    texts = Units.of(corpus, "choosing" if settings.what == "curve" else "all")
    asked = StudySettings(layout=settings.layout, language=settings.language, seed=settings.seed,
                          shard_characters=SHARD_CHARACTERS)  # fmt: skip
    study = run_study(
        texts, spec, out / STUDY, asked, executor, in_flight=in_flight, threads=threads, progress=progress
    )
    return study if study.has("heads") else None


def _in_shards(named: Sequence[tuple[str, str]], together: int) -> Iterator[Shard]:
    """Texts with their names, so many a shard."""
    pieces = [Piece(number, name, 0, text, None) for number, (name, text) in enumerate(named)]
    for start in range(0, len(pieces), together):
        some = tuple(pieces[start : start + together])
        yield Shard(0, some, (start + len(some)) / len(pieces))


def _given(texts: Sequence[AnnotatedText | Document], shard: Shard) -> tuple[AnnotatedText | Document, ...]:
    return tuple(texts[piece.number] for piece in shard.pieces)


def _answers(out: Path, job: AblationJob) -> bool:
    """Whether the shard that is there, if any, has answered this question."""
    try:
        return files.read_file(files.shard_path(out, job.shard.number), ASKED) == job.digest.encode()
    except files.DamagedError:
        return False


def _firsts(order: Sequence[Head], counts: Sequence[int]) -> list[tuple[Head, ...]]:
    """The first heads of an order, as a removal each, sorted; as many counts as the order has heads for."""
    return [tuple(sorted(order[:count])) for count in counts if count <= len(order)]


def _order_frame(name: str, order: Sequence[Head]) -> pd.DataFrame:
    rows = [(name, place, *head.row) for place, head in enumerate(order, 1)]
    return pd.DataFrame(rows, columns=["order", "place", "layer", "head"])
