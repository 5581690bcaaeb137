"""Copies of a tiny model in excerpts of the sample texts: none of them is taken for a model that learned something."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import transformers

from attn_core.models.files import COPIES, ModelSpec, locate
from attn_core.study.corpus import Corpus
from attn_core.study.runner import run_study
from attn_core.study.subjects import with_baselines
from attn_core.texts.documents import Sample, read_document, samples
from tests.claims.trial import drawn, taken_for_learned
from tests.families import network, save_network

TEXTS, CHARACTERS = 60, 400  # of an excerpt at least: some 90 tokens, which have 40 strong pairs
SEEDS, CORPORA = 6, 10  # of either kind; of either size
MANY_HEADS = {"num_hidden_layers": 6, "num_attention_heads": 12, "hidden_size": 96, "intermediate_size": 96}


def write_excerpts(folder: Path) -> Path:
    """A folder of stretches of the sample texts, without the first of each: noise is counted against some of these."""
    folder.mkdir()
    stretches = [stretch for sample in samples() for stretch in list(_stretches(sample))[1:]]
    for number, stretch in enumerate(stretches[:TEXTS]):
        (folder / f"{number:02d}.txt").write_text(stretch, encoding="utf-8")
    return folder


def _stretches(sample: Sample) -> Iterator[str]:
    document, begin = read_document(sample.text, sample.language), 0
    for _, end in document.sentences:
        if end - begin >= CHARACTERS:
            yield document.text[begin:end]
            begin = end


@pytest.mark.long
@pytest.mark.model
def test_at_most_5_of_100_copies_are_taken_for_models_that_learned(tmp_path: Path) -> None:
    model = save_network(tmp_path / "many heads", network(transformers.BertConfig(**MANY_HEADS)))
    transformers.AutoTokenizer.from_pretrained(locate(ModelSpec())).save_pretrained(model)
    subjects = with_baselines([ModelSpec(str(model))], list(COPIES), SEEDS)
    study = run_study(Corpus(str(write_excerpts(tmp_path / "texts"))), subjects, tmp_path / "study")
    assert set(study.table("subjects")["windows"]) == {TEXTS}
    rows = drawn(study, CORPORA)
    assert (rows["verdict"] == "supported").any(), "else nothing is tried"
    share = taken_for_learned(rows)
    assert (share <= 0.05).all(), share
