"""The way of a series: the same study of every step that is not there yet, one after another.

    run_series("EleutherAI/pythia-70m", from_revisions(...), Corpus("novels/"), Path("series/pythia"))

A step is a unit: what was finished stays, and the same command goes on. Later steps may be added to a finished series.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

import pandas as pd

from attn_core.errors import InputError, TextError
from attn_core.interventions.runner import run_ablation
from attn_core.interventions.settings import AblationSettings
from attn_core.io.paths import called, shown
from attn_core.models.capture import capture
from attn_core.models.controls import twin_of
from attn_core.models.files import IN_STACK, TWINS, Twin
from attn_core.models.loading import model_of
from attn_core.models.records import LoadedModel
from attn_core.runs import folder as files
from attn_core.runs.job import Counted, Shard
from attn_core.runs.kinds import KINDS
from attn_core.runs.progress import Progress
from attn_core.runs.run import ALONE, Workers, begun
from attn_core.series.folder import (
    Facts,
    Step,
    entropies_path,
    facts_of,
    read_step,
    step_path,
    step_paths,
    study_path,
    twin_path,
    write_step,
)
from attn_core.series.gathered import claims_table, has_twins
from attn_core.series.opened import Series
from attn_core.series.probe_ranks import rank_pairs, read_probe
from attn_core.series.sources import Source
from attn_core.similarity.words import in_words
from attn_core.study.corpus import Corpus
from attn_core.study.opened import Study, open_study
from attn_core.study.runner import run_study
from attn_core.study.settings import DEFAULT, StudySettings
from attn_core.texts.passages import Passage

PROBES, TOKENS = 8, 128  # windows that drift is measured on, and their length: of the first texts; our choice


def run_series(
    model: str,
    sources: list[Source],
    corpus: Corpus,
    out: Path,
    settings: StudySettings = DEFAULT,
    workers: Workers = ALONE,
    progress: Callable[[Source, Progress], None] | None = None,
    twins: bool = False,
    entropy: bool = False,
) -> Series:
    """Study what is not studied yet, and put the steps together. model: what the series is called after.

    progress: is called with the step and how far its study is. twins: also the untrained twin, and the permuted one of each
    step, which takes twice as long, so that the rows of the claims tell what is learned. entropy: also how sure of a word each
    layer is; it takes weights with a language-model head.

    Raises InputError, in one sentence, where it cannot begin or go on; finished steps stay.
    """
    corpus.check(out)
    revisions = [source.revision() for source in sources]  # before the first of them is read
    name = called(model) + IN_STACK[sources[0].spec.stack] + sources[0].spec.windows
    texts = {"fingerprint": corpus.fingerprint(), "probes": PROBES, "tokens": TOKENS}
    with begun(KINDS["series"], out) as run:
        run.agrees(model=name, texts=texts, settings=settings.by_name())
        for at, (source, revision) in enumerate(zip(sources, revisions, strict=True)):
            if not _is_there(out, source, revision, twins, entropy):
                how = replace(workers, progress=partial(progress, source) if progress else None)
                study = run_study(corpus, source.spec, study_path(out, source.number), settings, how)
                beside = {kind: _twin(out, source, kind, corpus, settings, how) for kind in TWINS} if twins else {}
                more = {"claims": claims_table(study, beside)}
                if entropy:
                    more["entropies"] = _entropies(out, source, corpus, settings, how)
                step = _step(source, study, corpus, settings, more)
                # Raises InputError where a step has other layers, heads or tokens than the first one of its series.
                first = next((read_step(path) for path in step_paths(out) if files.is_whole(path)), step)
                if [window.shape for window in first.ranks] != [window.shape for window in step.ranks]:
                    raise InputError(
                        f"{step.facts.name} has other layers, heads or tokens than {first.facts.name}: a series is one model."
                    )
                write_step(out, step)
                files.remove_folder(out / files.TABLES)  # they lack this step
            run.reporter.counted(Shard(at, (), (at + 1) / len(sources)), Counted({}, 0, 0, 0))
        run.pool(lambda: Series.open(out).files())
    return Series.open(out)


def _is_there(out: Path, source: Source, revision: str, twins: bool, entropy: bool) -> bool:
    """Whether a step was finished, with all that is asked now. Raises InputError where it was another one."""
    facts = facts_of(step_path(out, source.number))
    if facts is not None and facts.revision != revision:
        raise InputError(
            f"{source.name} has other weights than when the series in {shown(out)} read it: choose a new folder."
        )
    if facts is None:
        return False
    more = read_step(step_path(out, source.number)).more
    return (not twins or ("claims" in more and has_twins(more["claims"]))) and (not entropy or "entropies" in more)


def _twin(out: Path, source: Source, kind: Twin, corpus: Corpus, settings: StudySettings, how: Workers) -> Study:
    """The study of a step's twin; of the untrained one that of any step, which is the same network."""
    place = twin_path(out, source.number, kind)
    if kind == "untrained" and files.is_whole(place / files.TABLES):
        return open_study(place)
    return run_study(corpus, twin_of(source.spec, kind), place, settings, how)


def _entropies(out: Path, source: Source, corpus: Corpus, settings: StudySettings, how: Workers) -> pd.DataFrame:
    """How sure of a word each layer is, as `ablate --entropy` counts it."""
    asked = AblationSettings("entropy", layout=settings.layout, language=settings.language)
    return run_ablation(corpus, source.spec, entropies_path(out, source.number), asked, how).table("entropies")


def _step(source: Source, study: Study, corpus: Corpus, settings: StudySettings, more: dict[str, pd.DataFrame]) -> Step:
    """A step of which the study is finished. Raises InputError where no text could be counted."""
    if not study.provenance["windows"]:
        bad = study.provenance["bad_texts"]
        raise InputError(f"No text of {shown(corpus.source)} could be counted, none of {bad:,}.")
    model = model_of(source.spec)
    probes = list(islice(_probes(corpus, model, settings), PROBES))
    read = zip(probes, capture(model, probes), strict=True)
    ranks = rank_pairs((in_words(*one) if settings.unit == "words" else one for one in read), settings.analysis)
    facts = Facts(source.number, source.name, model.revision, called(source.spec.tokenizer or source.spec.name))
    return Step(facts, study.heads, study.layers, ranks, more)


def _probes(corpus: Corpus, model: LoadedModel, settings: StudySettings) -> Iterator[Passage]:
    tokens = min(TOKENS, model.max_tokens)
    for text in corpus.texts():
        with suppress(TextError):  # a bad text, which the study lists
            yield read_probe(text.text or "", model.tokenizer, tokens, settings.layout, settings.language)
