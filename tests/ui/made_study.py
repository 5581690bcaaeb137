"""A small finished study that has all that the page Corpus can show."""

from dataclasses import replace
from pathlib import Path

from attn_core.models.controls import CONTROLS
from attn_core.models.files import ModelSpec
from attn_core.study.corpus import Corpus
from attn_core.study.opened import Study
from attn_core.study.runner import run_study
from attn_core.study.subjects import Subject, with_baselines
from tests.patterns.made_up import WORDS
from tests.study.conftest import SMALL
from tests.study.made_up import write_corpus

STEPS = (0, 500)


def make_two_studies(spec: ModelSpec, folder: Path) -> Path:
    """A folder with two studies: one of annotated texts, and one of plain texts, which are there too."""
    (folder / "made-up.conllu").write_text(WORDS * 40, encoding="utf-8")
    run_study(Corpus(str(folder / "made-up.conllu")), spec, folder / "studies" / "annotated", SMALL)
    run_study(Corpus(str(write_corpus(folder / "texts", texts=6))), spec, folder / "studies" / "mine", SMALL)
    return folder


def make_study(spec: ModelSpec, folder: Path) -> Study:
    """A model with a copy of each kind and shuffled text, and two steps of a training, the first untrained, under every
    setting; a text that is left out."""
    texts = write_corpus(folder.parents[1] / "texts", texts=4)
    (texts / "short.txt").write_text("Hm.", encoding="utf-8")
    first = Subject("training", replace(spec, copy=("untrained", 1)), step=STEPS[0])
    subjects = [*with_baselines([spec], CONTROLS, seeds=1), first, Subject("training", spec, step=STEPS[1])]
    settings = replace(SMALL, every_setting=True, shard_characters=100_000)
    return run_study(Corpus(str(texts)), subjects, folder, settings)
