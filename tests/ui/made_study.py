"""Small finished studies that pages choose between."""

from pathlib import Path

from attn_core.models.files import ModelSpec
from attn_core.study.corpus import Corpus
from attn_core.study.runner import run_study
from tests.patterns.made_up import WORDS
from tests.study.conftest import SMALL
from tests.study.made_up import write_corpus


def make_two_studies(spec: ModelSpec, folder: Path) -> Path:
    """A folder with two studies: of annotated texts, and of plain texts, one too short, which are there too."""
    (folder / "made-up.conllu").write_text(WORDS * 40, encoding="utf-8")
    run_study(Corpus(str(folder / "made-up.conllu")), spec, folder / "studies" / "annotated", SMALL)
    texts = write_corpus(folder / "texts", texts=6)
    (texts / "short.txt").write_text("Hm.", encoding="utf-8")
    run_study(Corpus(str(texts)), spec, folder / "studies" / "mine", SMALL)
    return folder
