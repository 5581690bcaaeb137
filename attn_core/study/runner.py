"""The way of a study: count the shards of a corpus that are missing, with pairs to read of each, and pool them.

    run_study(Corpus("novels/"), ModelSpec(), Path("studies/novels"))

See `runs.run` for how it is resumed, and who counts.
"""

from pathlib import Path

import pandas as pd

from attn_core.models.files import ModelSpec
from attn_core.runs import folder as files
from attn_core.runs.kinds import KINDS
from attn_core.runs.run import ALONE, Workers, begun
from attn_core.study.corpus import Corpus
from attn_core.study.examples import from_bytes, merged, to_bytes
from attn_core.study.opened import Study
from attn_core.study.plan import shards
from attn_core.study.pooled import pooled_files
from attn_core.study.settings import DEFAULT, Job, StudySettings
from attn_core.study.worker import count_shard

FILE = "examples.parquet"


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
            jobs = (Job(shard, model, settings) for shard in shards(corpus, settings.shard_characters))
            counted = run.counted(count_shard, jobs, beforehand=lambda counted: examples.add(counted.examples))
            run.only(counted)
            corpus.refuse_empty(counted)
            if not run.pooled:
                run.pool(lambda: pooled_files(out, run.manifest, examples.table))
    return Study.open(out)


class Kept:
    """The examples of a study so far, in its folder: whatever shards come, and come again.

    A shard's examples are kept before the shard is, so that none is missed where the process is killed in between.
    """

    def __init__(self, folder: Path) -> None:
        self._place = folder / files.EXAMPLES
        self._table = self._read() if files.is_whole(self._place) else None

    @property
    def whole(self) -> bool:
        """False where there are none, or not as they were written: then every shard has to be counted again."""
        return self._table is not None

    @property
    def table(self) -> pd.DataFrame | None:
        return self._table

    def add(self, data: bytes | None) -> None:
        """Add those of a shard, None for one without any text."""
        parts = [] if self._table is None else [self._table]
        if data is not None:
            parts.append(from_bytes(data))
        if parts:
            self._table = merged(parts)
            files.write_folder(self._place, {FILE: to_bytes(self._table)})

    def _read(self) -> pd.DataFrame:
        return from_bytes(files.read_file(self._place, FILE))
