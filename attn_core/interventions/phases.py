"""The phases of an ablation: each counts its shards in a folder of its own, and a later one may use what an earlier one found.

Of every head: its importance on all texts, then a pruning curve. Its order is chosen on every second text, and the curve is that
of the others. Of some heads: their effect beside that of as many random heads of the same layers. Then labelled texts, if any.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path

import numpy as np
import pandas as pd

from attn_core.errors import InputError
from attn_core.head import Head, every_head
from attn_core.interventions import tables
from attn_core.interventions.effects import Removal
from attn_core.interventions.labels import labels_of
from attn_core.interventions.measured import by_text, redundancy_of, texts_of
from attn_core.interventions.orders import LEAST, at_random, by_role, by_value, counts_up_to
from attn_core.interventions.random_sets import sets_alike
from attn_core.interventions.settings import AblationJob, AblationSettings, Phase
from attn_core.interventions.worker import measure
from attn_core.runs.job import Piece, RunModel
from attn_core.runs.run import Run
from attn_core.study.corpus import Corpus, shards

SHARD_CHARACTERS = 2_000  # about a window: what can be lost at once
LABELLED_CHARACTERS = 20_000  # of labelled texts, each read in its first window alone
TOO_FEW = (
    "A curve is shown on other texts than those that choose its order: give two texts at least that can be read, or let "
    "--documents blank-line cut one into its paragraphs."
)


@dataclass(frozen=True)
class Half(Corpus):
    """Every second text of a corpus, or group of texts. at: 0 the first, the third, ..., which choose; 1 the others, shown."""

    at: int = 0

    def texts(self) -> Iterator[Piece]:
        """The texts of this half, numbered as in the whole corpus."""
        return (text for text in super().texts() if text.group % 2 == self.at)

    def fingerprint(self) -> str:
        """That of the corpus, and which half it is."""
        return sha256(f"{super().fingerprint()}|{self.at}".encode()).hexdigest()


def half_of(corpus: Corpus, at: int) -> Half:
    """The texts that choose, 0, or those that are shown, 1."""
    return Half(**asdict(corpus), at=at)


@dataclass
class Phases:
    """What the phases of one ablation have in common. roles: of each head, where those of one go first. done: so many phases."""

    run: Run
    model: RunModel
    corpus: Corpus
    settings: AblationSettings
    labelled: Corpus | None
    roles: Sequence[str]
    done: int = 0

    @property
    def shape(self) -> tuple[int, int]:
        """(layers, heads a layer)."""
        return self.model.facts.layers, self.model.facts.heads

    def counted(self, phase: Phase, removals: Sequence[Removal]) -> list[Path]:
        """The shards of a phase, all of them there."""
        phases = 1 + (self.settings.what == "curve") + (self.labelled is not None)
        jobs = (
            AblationJob(
                replace(shard, done=(self.done + shard.done) / phases),
                self.model,
                phase,
                tuple(removals),
                self.settings,
            )
            for shard in shards(*self._texts(phase))
        )
        paths = self.run.counted(measure, jobs, below=self.run.folder / phase)
        self.done += 1
        return paths

    def _texts(self, phase: Phase) -> tuple[Iterator[Piece], int]:
        """The texts of a phase, and how many characters of them make a shard."""
        if phase == "labelled":
            assert self.labelled is not None
            return self.labelled.texts(), LABELLED_CHARACTERS
        corpus = half_of(self.corpus, 1) if phase == "curve" else self.corpus
        return corpus.texts(), SHARD_CHARACTERS


def of_every_head(work: Phases) -> dict[str, pd.DataFrame]:
    """Tables of the importance of every head, and of a pruning curve where it is asked for."""
    counted = work.counted("importance", [(head,) for head in every_head(*work.shape)])
    (texts, effects), (_, estimated) = (by_text(counted, name) for name in ("embedding", "estimated"))
    effects, estimated = (values.reshape(-1, *work.shape) for values in (effects, estimated))
    importance = tables.importance_table(effects, estimated, *redundancy_of(counted, effects[0].size))
    made = {"importance": importance, "texts": texts_of(counted)}
    if work.settings.what == "curve":
        chose = texts % 2 == 0
        if chose.all() or not chose.any():
            raise InputError(TOO_FEW)
        made |= _curve(work, effects[chose])
    return made


def _curve(work: Phases, choosing: np.ndarray) -> dict[str, pd.DataFrame]:
    """A pruning curve on the texts that are shown, and those of random orders. choosing: (text, layer, head), effects."""
    effects, role = choosing.mean(axis=0), work.settings.role
    name = LEAST if role is None else f"{role} first"
    order = by_value(effects) if role is None else by_role(work.roles, role, effects)
    counts = counts_up_to(effects.size)
    firsts = [
        [tuple(sorted(one[:count])) for count in counts]
        for one in (order, *at_random(work.shape, seed=work.settings.seed))
    ]
    removals = list(dict.fromkeys(removal for of_order in firsts for removal in of_order))
    _, shown = by_text(work.counted("curve", removals), "embedding")
    at = {removal: number for number, removal in enumerate(removals)}
    own, *random = (shown[:, [at[removal] for removal in of_order]] for of_order in firsts)
    curve = tables.curve_table({name: own}, counts, np.stack(random))
    places = pd.DataFrame([head.row for head in order], columns=["layer", "head"])
    places.insert(0, "order", name)
    places.insert(1, "place", range(1, len(order) + 1))
    made = {"curve": curve.assign(chosen_on=len(choosing), shown_on=len(shown)), "orders": places}
    return made | _accuracy(work, firsts[0], counts)


def of_heads(work: Phases, heads: Sequence[Head]) -> dict[str, pd.DataFrame]:
    """Tables of some heads removed together, beside as many random heads of the same layers."""
    counted = work.counted("effect", [tuple(heads), *sets_alike(heads, work.shape, seed=work.settings.seed)])
    quantities = {"sentence embedding": "embedding", "last states, token by token": "tokens_effect"}
    rows = [tables.effect_row(name, by_text(counted, column)[1]) for name, column in quantities.items()]
    made = {"effects": pd.DataFrame(rows), "texts": texts_of(counted)}
    return made | _accuracy(work, [tuple(heads)], [len(heads)])


def _accuracy(work: Phases, removals: Sequence[Removal], counts: Sequence[int]) -> dict[str, pd.DataFrame]:
    """Of the whole model, and under each removal; no table without labelled texts."""
    if work.labelled is None:
        return {}
    texts, embeddings = by_text(work.counted("labelled", [(), *removals]), "embeddings")
    labels = labels_of(work.labelled)
    if len(texts) < len(labels):
        raise InputError("A labelled text has no word that the model reads: take it out of the file.")
    embeddings = embeddings.reshape(len(labels), 1 + len(removals), -1).transpose(1, 0, 2)
    return {"accuracy": tables.accuracy_table(embeddings, [0, *counts], labels, work.settings.seed)}
