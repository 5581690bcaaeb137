"""What is asked of the workers: the texts of a question in shards, of which those are measured that are not there yet."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from attn_core.interventions.effects import Removal
from attn_core.interventions.job import AblationJob, Measured
from attn_core.interventions.labels import Labelled
from attn_core.interventions.settings import AblationSettings
from attn_core.interventions.tasks import Tasks
from attn_core.interventions.units import Half, Units
from attn_core.interventions.worker import measure
from attn_core.patterns.annotated import AnnotatedText
from attn_core.runs.job import Piece, RunModel, Shard
from attn_core.runs.run import Run
from attn_core.study.corpus import Corpus
from attn_core.study.plan import shards
from attn_core.texts.documents import Document

SHARD_CHARACTERS = 2_000  # about a window: what can be lost at once
LABELLED = 20  # labelled texts, or snippets with a pronoun, a shard


class Questions:
    """The questions of one ablation; their shards are numbered in the order in which they are asked.

    shape: (layers, heads a layer). done: the share of all work that is done.
    """

    def __init__(
        self,
        run: Run,
        model: RunModel,
        corpus: Corpus,
        settings: AblationSettings,
        labelled: Labelled | None,
        tasks: Tasks,
    ) -> None:
        self.settings, self.labelled, self.tasks = settings, labelled, tasks
        self._run, self._model, self._corpus = run, model, corpus
        self.shape, self.done, self._number = (model.facts.layers, model.facts.heads), 0.0, 0
        self.units = Units.of(corpus).in_words

    def measured(self, measured: Measured, removals: Sequence[Removal], until: float, half: Half = "all") -> list[Path]:
        """The shards of one question, all of them there. until: how much of the whole is done at its end."""
        shards = self._run.counted(measure, self._jobs(measured, removals, until, half, self.done))
        self.done = until
        return shards

    def _jobs(
        self, measured: Measured, removals: Sequence[Removal], until: float, half: Half, begun: float
    ) -> Iterator[AblationJob]:
        how = self.settings
        again = self._number > 0
        labels = tuple(sorted(set(self.labelled.labels))) if self.labelled and measured == "labelled" else ()
        for shard, given in self._shards(measured, half):
            numbered = replace(shard, number=self._number, done=begun + (until - begun) * shard.done)
            self._number += 1
            yield AblationJob(
                numbered, self._model, measured, tuple(removals), replace=how.replace, layout=how.layout,
                language=how.language, seed=how.seed, again=again, labels=labels, given=given,
            )  # fmt: skip

    def _shards(self, measured: Measured, half: Half) -> Iterator[tuple[Shard, tuple[AnnotatedText | Document, ...]]]:
        """The shards of a question, and of each the texts that a task is asked of."""
        if measured == "labelled":
            assert self.labelled is not None
            names = (f"labelled text {n}" for n in range(1, 1 + len(self.labelled.texts)))
            yield from (
                (shard, ()) for shard in _in_shards(list(zip(names, self.labelled.texts, strict=False)), LABELLED)
            )
        elif measured == "pronouns":
            snippets = self.tasks.snippets
            named = [(snippet.name, snippet.text) for snippet in snippets]
            yield from ((shard, _given(snippets, shard)) for shard in _in_shards(named, LABELLED))
        elif measured == "segments":
            documents = list(self.tasks.gold.values())
            named = [(name, document.text) for name, document in self.tasks.gold.items()]
            yield from ((shard, _given(documents, shard)) for shard in _in_shards(named, 1))
        else:
            yield from ((shard, ()) for shard in shards(Units.of(self._corpus, half), SHARD_CHARACTERS))


def _in_shards(named: Sequence[tuple[str, str]], together: int) -> Iterator[Shard]:
    """Texts with their names, so many a shard."""
    pieces = [Piece(number, name, 0, text, None) for number, (name, text) in enumerate(named)]
    for start in range(0, len(pieces), together):
        some = tuple(pieces[start : start + together])
        yield Shard(0, some, (start + len(some)) / len(pieces))


def _given(texts: Sequence[AnnotatedText | Document], shard: Shard) -> tuple[AnnotatedText | Document, ...]:
    return tuple(texts[piece.number] for piece in shard.pieces)
