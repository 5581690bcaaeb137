"""The way of `ablate`: what a study's folder, manifest and executors are, for heads that are removed.

    ablate(Corpus("novels/"), ModelSpec(), Path("ablations/novels"), AblationSettings("curve"))

It may be killed at any moment and started again: finished shards stay, and the tables come out the same.
"""

from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path

from attn_core.interventions.every_head import of_all
from attn_core.interventions.manifest import manifest_of, provenance_of
from attn_core.interventions.opened import Ablation, open_ablation
from attn_core.interventions.questions import SHARD_CHARACTERS, Questions
from attn_core.interventions.settings import AblationSettings
from attn_core.interventions.some_heads import of_entropy, of_heads
from attn_core.interventions.units import Units
from attn_core.io.tables import table_files
from attn_core.models.files import ModelSpec
from attn_core.models.intervention import named_heads
from attn_core.runs import folder as files
from attn_core.runs.executors import MakeExecutor
from attn_core.runs.model import describe
from attn_core.runs.progress import Progress
from attn_core.runs.resumable import agreed_manifest, at_work, counts_alike
from attn_core.study.corpus import Corpus
from attn_core.study.opened import Study
from attn_core.study.runner import run_study
from attn_core.study.settings import StudySettings

STUDY = "study"  # the folder of the heads' statistics and roles, a study of its own


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
    corpus.check(out)
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
            work = Questions(corpus, spec, out, settings, facts, threads, source, reporter, labelled, tasks)
            if settings.what == "entropy":
                tables = of_entropy(work, heads)
            else:
                tables = of_heads(work, heads) if heads else of_all(work, study)
            reporter.tell("pooling")
            provenance = provenance_of(kept, tables["texts"], work.units)
            files.write_folder(out / files.TABLES, table_files(tables, provenance))
        reporter.tell("finished")
        return open_ablation(out)


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
