"""The examples of a study: the same in whatever order the parts of a corpus come."""

from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_core.analysis.one_text import analyze
from attn_core.measures.token_coverage import touched
from attn_core.models.files import ModelSpec
from attn_core.study.corpus import Corpus
from attn_core.study.examples import OF_ONE_TEXT, PIECES, STRONGEST, candidates, merged, with_text
from attn_core.study.runner import run_study
from attn_core.study.settings import StudySettings
from tests.measures.made_up import made_passage, random_choice
from tests.study.made_up import write_corpus


def offered(number: int) -> pd.DataFrame:
    """The candidates of one made-up window, the number-th of its corpus; every third one is of the text before."""
    passage = made_passage([(number * 7 + at * at) % 9 for at in range(14)], sentences=[at // 5 for at in range(14)])
    window = random_choice(passage, 25, seed=number)
    window.similarity[:] = -np.sort(-np.round(window.similarity, 1))  # with ties
    where = (number - (number % 3 == 2), 0, number)
    return with_text(candidates(window, touched(window), where), {where: passage}, {where[0]: f"text {where[0]}"})


PARTS = [offered(number) for number in range(7)]


@given(st.permutations(range(7)), st.lists(st.integers(1, 6), max_size=3), st.lists(st.integers(0, 6), max_size=3))
def test_parts_give_the_same_examples_in_any_order_and_grouping_and_twice(
    order: list[int], cuts: list[int], again: list[int]
) -> None:
    groups = np.split(np.array(order), sorted(set(cuts)))
    pieces = [merged([PARTS[at] for at in [*group, *again]]) for group in groups]
    assert merged(pieces).equals(merged(PARTS))


def test_each_head_has_its_strongest_pairs() -> None:
    kept, everything = merged(PARTS), pd.concat(PARTS)
    for (layer, head), best in kept.groupby(["layer", "head"]):
        offered_here = everything[(everything["layer"] == layer) & (everything["head"] == head)]
        taken: Counter[int] = Counter()
        expected = []
        for row in offered_here.sort_values(["similarity", "window"], ascending=[False, True]).itertuples():
            taken[row.text] += 1
            expected += [row.similarity] if taken[row.text] <= OF_ONE_TEXT else []
        assert best["similarity"].tolist() == expected[:STRONGEST]
        assert best["text"].value_counts().max() <= OF_ONE_TEXT


def test_a_study_keeps_pairs_of_its_texts(tmp_path: Path, tiny: ModelSpec, tiny_model, small: StudySettings) -> None:
    folder = write_corpus(tmp_path / "texts", texts=5)
    study = run_study(Corpus(str(folder)), tiny, tmp_path / "study", small).of()
    examples = study.table("examples")
    assert examples.groupby(["layer", "head"]).size().tolist() == [STRONGEST] * (study.shape[0] * study.shape[1])
    read = {file.name: analyze(file.read_text(), tiny_model("bert"), small.analysis) for file in folder.iterdir()}
    for row in examples.sample(30, random_state=0).itertuples():
        windows = {window.passage.index: window for window in read[row.name].windows}
        window, head = windows[row.window], (row.layer - 1, row.head - 1)
        (at,) = np.flatnonzero((window.first[head] == row.first) & (window.second[head] == row.second))
        assert window.similarity[head][at] == pytest.approx(row.similarity, rel=1e-4)
        assert (row.first_token, row.second_token) == tuple(window.passage.tokens[i] for i in (row.first, row.second))
    assert examples[list(PIECES)].agg("".join, axis=1).str.len().max() < 1000
