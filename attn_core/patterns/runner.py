"""The way of `patterns`: count the relations of annotated texts, or of a corpus and rules, and pool them.

score_patterns(annotated_files([Path("gum.conllu")]), ModelSpec(), Path("patterns/gum"))
score_patterns(RuledCorpus(Corpus("novels/"), (rule_named("same_word"),), "auto"), ModelSpec(), Path("patterns/novels"))
"""

from dataclasses import dataclass
from pathlib import Path

from attn_core.models.files import ModelSpec
from attn_core.patterns.files import AnnotatedFiles
from attn_core.patterns.opened import PatternScores
from attn_core.patterns.pooled import pooled_files
from attn_core.patterns.ruled import RuledCorpus
from attn_core.patterns.worker import PatternJob, count_patterns
from attn_core.runs.kinds import KINDS
from attn_core.runs.run import ALONE, Workers, begun
from attn_core.texts.passages import Layout

SHARD_CHARACTERS = 12_000  # about two documents, or forty snippets: what can be lost at once


@dataclass(frozen=True)
class PatternSettings:
    """What decides the numbers, apart from model and texts."""

    layout: Layout = "plain"


def score_patterns(
    texts: AnnotatedFiles | RuledCorpus,
    spec: ModelSpec,
    out: Path,
    settings: PatternSettings = PatternSettings(),
    workers: Workers = ALONE,
) -> PatternScores:
    """Count what is not counted yet, and pool.

    Raises InputError, in one sentence, where it cannot begin or go on; what was counted stays.
    """
    texts.check()
    with begun(KINDS["patterns"], out, workers) as run:
        model = run.model(spec)
        run.agrees(model=model.facts, corpus=texts.identity(), settings=settings)
        shards = texts.shards(SHARD_CHARACTERS)
        run.only(
            run.counted(count_patterns, (PatternJob(shard, model, some, settings.layout) for shard, some in shards))
        )
        if not run.pooled:
            run.pool(lambda: pooled_files(out, run.manifest))
    return PatternScores.open(out)
