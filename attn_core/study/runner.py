"""The way of a study: count the shards of a corpus that are missing, with pairs to read of each, and pool them.

    run_study(Corpus("novels/"), ModelSpec(), Path("studies/novels"))

See `runs.run` for how it is resumed, and who counts.
"""

from pathlib import Path

from attn_core.models.files import ModelSpec
from attn_core.runs import folder as files
from attn_core.runs.kinds import KINDS
from attn_core.runs.run import ALONE, Workers, begun
from attn_core.study.corpus import Corpus
from attn_core.study.kept_examples import Kept
from attn_core.study.opened import Study
from attn_core.study.other_texts import Pairing
from attn_core.study.plan import shards
from attn_core.study.pooled import pooled_files
from attn_core.study.settings import DEFAULT, Job, StudySettings
from attn_core.study.worker import count_shard


def run_study(
    corpus: Corpus, spec: ModelSpec, out: Path, settings: StudySettings = DEFAULT, workers: Workers = ALONE
) -> Study:
    """Count what is not counted yet, and pool. Returns the finished study.

    Raises InputError, in one sentence, where the study cannot begin or go on; what was counted stays.
    """
    with begun(KINDS["study"], out, workers) as run:
        corpus.check(out)
        identity = corpus.identity()
        model = run.model(spec)
        if run.agrees(model=model.facts, corpus=identity, settings=settings.by_name()):
            examples = Kept(out)
            if not examples.whole:
                files.remove_shards(out)  # at once: cut off again, what is counted by then has its examples
            beside = Pairing(corpus, settings.seed)
            jobs = (
                Job(shard, model, settings, beside.of(shard.pieces))
                for shard in shards(corpus, settings.shard_characters)
            )
            counted = run.counted(count_shard, jobs, beforehand=lambda counted: examples.add(counted.examples))
            run.only(counted)
            corpus.refuse_empty(counted)
            if not run.pooled:
                run.pool(lambda: pooled_files(out, run.manifest, examples.table))
    return Study.open(out)
