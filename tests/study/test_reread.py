"""Windows of a study, read again: those that were counted, and no others."""

from dataclasses import replace
from pathlib import Path

from attn_core.models.files import ModelSpec
from attn_core.models.loading import load
from attn_core.models.removal import Removal
from attn_core.study.corpus import Corpus
from attn_core.study.opened import open_study
from attn_core.study.reread import read_again, sample_places, spec_of
from attn_core.study.runner import run_study
from tests.study.conftest import SMALL
from tests.study.made_up import write_corpus


def test_the_windows_that_were_counted_are_read_again(tmp_path: Path, tiny: ModelSpec) -> None:
    corpus = write_corpus(tmp_path / "texts", texts=3)
    (corpus / "long.txt").write_text("The tide rose and the boats rose with it. " * 60)
    study = open_study(run_study(Corpus(str(corpus)), tiny, tmp_path / "study", SMALL).folder)
    pairs = study.examples.drop_duplicates(["text", "part", "window"])
    places = list(pairs[["text", "part", "window"]].itertuples(index=False, name=None))
    again = read_again(study, load(tiny), places)
    assert {0, 1} <= {window for *_, window in places}
    for (_, _, window), reading, (_, pair) in zip(places, again, pairs.iterrows(), strict=True):
        (passage,) = reading.passages
        assert passage.index == window
        assert [passage.surface(pair[end]) for end in ("first", "second")] == [pair["first_text"], pair["second_text"]]
    assert set(sample_places(study.examples, 2)) <= set(places)


def test_a_study_of_a_model_without_some_heads_keeps_them_as_data(tmp_path: Path, tiny: ModelSpec) -> None:
    corpus = Corpus(str(write_corpus(tmp_path / "texts", texts=3)))
    whole = run_study(corpus, tiny, tmp_path / "whole", SMALL)
    spec = replace(tiny, ablation=Removal(("L1H2",), "zero"))
    study = run_study(corpus, spec, tmp_path / "study", SMALL)
    assert study.manifest["model"]["ablation"] == {"heads": ["L1H2"], "replace": "zero"}
    assert spec_of(study.manifest).ablation == spec.ablation
    assert spec_of(study.manifest).place == tiny.place
    assert study.heads["mean_distance"][0] == whole.heads["mean_distance"][0]
    assert not study.heads["mean_distance"][4:].equals(whole.heads["mean_distance"][4:])
    reading, *_ = read_again(study, load(spec), sample_places(study.examples, 1))
    assert not reading.outputs[0].z[0, 1].any()
