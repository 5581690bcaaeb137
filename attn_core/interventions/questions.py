"""What is asked of the workers: the texts of a question in shards, of which those are measured that are not there yet."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from attn_core.interventions.effects import Removal
from attn_core.interventions.job import AblationJob, Measured
from attn_core.interventions.labels import Labelled
from attn_core.interventions.settings import AblationSettings
from attn_core.interventions.units import Half, Units
from attn_core.interventions.worker import measure
from attn_core.runs.job import Piece, RunModel, Shard
from attn_core.runs.run import Run
from attn_core.study.corpus import Corpus
from attn_core.study.plan import shards

SHARD_CHARACTERS = 2_000  # about a window: what can be lost at once
LABELLED = 20  # labelled texts a shard


@dataclass
class Questions:
    """The questions of one ablation; their shards are numbered in the order in which they are asked.

    done: the share of all work that is done.
    """

    run: Run
    model: RunModel
    corpus: Corpus
    settings: AblationSettings
    labelled: Labelled | None
    done: float = field(default=0.0, init=False)
    _number: int = field(default=0, init=False)

    @property
    def shape(self) -> tuple[int, int]:
        """(layers, heads a layer)."""
        return self.model.facts.layers, self.model.facts.heads

    def measured(self, measured: Measured, removals: Sequence[Removal], until: float, half: Half = "all") -> list[Path]:
        """The shards of one question, all of them there. until: how much of the whole is done at its end."""
        shards = self.run.counted(measure, self._jobs(measured, removals, until, half))
        self.done = until
        return shards

    def _jobs(self, measured: Measured, removals: Sequence[Removal], until: float, half: Half) -> Iterator[AblationJob]:
        how = self.settings
        again = self._number > 0
        for shard in self._shards(measured, half):
            numbered = replace(shard, number=self._number, done=self.done + (until - self.done) * shard.done)
            self._number += 1
            yield AblationJob(
                numbered, self.model, measured, tuple(removals), replace=how.replace, layout=how.layout,
                language=how.language, seed=how.seed, again=again,
            )  # fmt: skip

    def _shards(self, measured: Measured, half: Half) -> Iterator[Shard]:
        """The shards of a question."""
        if measured != "labelled":
            yield from shards(Units.of(self.corpus, half), SHARD_CHARACTERS)
            return
        assert self.labelled is not None
        texts = enumerate(self.labelled.texts)
        pieces = [Piece(number, f"labelled text {number + 1}", 0, text, None) for number, text in texts]
        for start in range(0, len(pieces), LABELLED):
            end = min(start + LABELLED, len(pieces))
            yield Shard(0, tuple(pieces[start:end]), end / len(pieces))
