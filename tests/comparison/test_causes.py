"""What is learned, what is language: by the difference of each effect to the controls, with its interval."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.stats import t

from attn_core.analysis.one_text import analyze
from attn_core.comparison.causes import (
    Cause,
    Held,
    Kind,
    causes,
    causes_table,
    few_twins,
    other_differences,
)
from attn_core.comparison.differences import Difference, differences
from attn_core.comparison.subjects import Subject
from attn_core.findings.bars import BY_EFFECT, Bars
from attn_core.measures.effects import WIDEN, effect_values
from attn_core.models.files import ModelSpec
from attn_core.models.records import LoadedModel
from attn_core.numerics.poisson_bootstrap import interval
from attn_core.similarity.strong_pairs import Settings
from attn_core.study.corpus import Corpus
from attn_core.study.opened import Study
from attn_core.study.runner import run_study
from attn_core.study.settings import StudySettings
from attn_core.study.shard_tables import read_tally, text_sizes
from tests.families import TEXT
from tests.study.made_up import write_corpus

ROLES, REACH = BY_EFFECT["repeating"], BY_EFFECT["reach"]


def cause(bars: Bars, own: float, **against: tuple[float, float, float]) -> Cause:
    """Of an effect whose controls have a number each, and an interval of the difference."""
    kinds: dict[str, Kind] = {"twin": "untrained", "shuffled": "shuffled"}
    held = tuple(
        Held(bars.claim, "Topic", "a", kinds[name], (name,), (Difference(bars, own, *numbers),))
        for name, numbers in against.items()
    )
    return Cause(bars.claim, "Topic", "a", held)


def test_what_text_and_shuffle_show_and_the_untrained_twin_does_not_is_learned() -> None:
    """Three subjects of which two share a verdict: nothing of it was "not learned", as the majority would have it."""
    judged = cause(ROLES, 0.4, twin=(0.05, 0.25, 0.45), shuffled=(0.39, -0.02, 0.03))
    assert judged.verdict == "learned"
    assert judged.sentence == (
        "Repetition heads +40 points; untrained twin +5 points, difference 35 [25, 45]; "
        "shuffled text +39 points, difference 1 [-2, 3]"
    )


@pytest.mark.parametrize(
    ("twin", "shuffled", "verdict"),
    [
        ((0.25, 0.45), (0.15, 0.45), "learned and language"),
        ((-0.02, 0.03), (0.15, 0.45), "language"),
        ((-0.02, 0.03), (-0.04, 0.04), "neither"),
        ((-0.40, -0.20), (-0.04, 0.04), "neither"),  # the twin shows more of it
        ((0.02, 0.45), (-0.04, 0.04), "open"),  # the margin lies inside the interval
        ((0.02, 0.45), (0.15, 0.45), "language"),
        ((np.nan, np.nan), (-0.04, 0.04), "open"),
    ],
)
def test_a_cause_takes_the_whole_interval_beyond_the_margin(
    twin: tuple[float, float], shuffled: tuple[float, float], verdict: str
) -> None:
    assert cause(ROLES, 0.4, twin=(0.1, *twin), shuffled=(0.1, *shuffled)).verdict == verdict


def test_a_claim_that_says_less_is_learned_where_the_model_has_less() -> None:
    assert cause(REACH, -0.3, twin=(0.0, -0.4, -0.2)).verdict == "learned"
    assert cause(REACH, -0.3, twin=(-0.6, 0.2, 0.4)).verdict == "not learned"
    assert cause(REACH, -0.3, shuffled=(-0.3, -0.05, 0.05)).verdict == "not language"
    assert Difference(REACH, 0, 0, 0, 0).margin == pytest.approx(0.10)


def test_a_claim_of_two_effects_needs_both() -> None:
    sure, small = Difference(ROLES, 0.4, 0.1, 0.2, 0.4), Difference(BY_EFFECT["gathering"], 0.2, 0.2, -0.02, 0.02)
    held = Held("C4", "Roles", "a", "untrained", ("twin",), (sure, small))
    assert (held.outcome, replace(held, differences=(sure, sure)).outcome) == ("no", "yes")
    assert ". Anchor or separator heads +20 points; " in held.sentence


@pytest.fixture(scope="module")
def studies(tiny_folder: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Study]:
    """Of one corpus: a model, three twins of it, the shuffled texts, the model by cosine."""
    folder = tmp_path_factory.mktemp("causes")
    corpus = Corpus(str(write_corpus(folder / "texts", texts=8)))
    spec = ModelSpec(str(tiny_folder("bert")))
    plain = StudySettings(Settings(share=0.05), draws=200)
    made = {
        "model": (spec, plain),
        **{f"twin {seed}": (replace(spec, twin=("untrained", seed)), plain) for seed in range(3)},
        "shuffled": (spec, replace(plain, layout="shuffled")),
        "cosine": (spec, StudySettings(Settings("cosine", 0.05), draws=200)),
    }
    return {name: run_study(corpus, spec, folder / name, how) for name, (spec, how) in made.items()}


@pytest.fixture
def subjects(studies: dict[str, Study]) -> Callable[..., list[Subject]]:
    return lambda *names: [Subject(name, studies[name]) for name in names]


def test_twins_and_shuffled_texts_are_known_by_where_they_come_from(subjects: Callable[..., list[Subject]]) -> None:
    told = causes(subjects("model", "twin 0", "shuffled", "cosine"))
    assert {one.subject for one in told} == {"model"}
    assert {(held.kind, held.others) for one in told for held in one.held} == {
        ("untrained", ("twin 0",)),
        ("shuffled", ("shuffled",)),
    }
    assert {held.others for held in other_differences(subjects("model", "twin 0", "cosine"))} == {("cosine",)}
    assert not causes(subjects("cosine", "twin 0"))  # of another measure


def test_an_effect_is_that_of_the_tables_and_its_difference_is_paired_by_text(studies: dict[str, Study]) -> None:
    model, twin = studies["model"], studies["twin 0"]
    by_effect = [study.effects.set_index("effect").loc["own_pairs"] for study in (model, twin)]
    difference = next(one for one in differences(model, twin) if one.bars.effect == "own_pairs")
    assert (difference.first, difference.second) == pytest.approx(tuple(one["value"] for one in by_effect))
    rows = [effect_values(read_tally(one.folder, 200, 0), one.shape)[0]["own_pairs"] for one in (model, twin)]
    assert (difference.low, difference.high) == pytest.approx(interval(rows[0] - rows[1], text_sizes(model.folder)))


def test_one_text_is_paired_by_its_parts(tiny_model: Callable[[str], LoadedModel]) -> None:
    text = " ".join([TEXT] * 2)
    one, other = (analyze(text, tiny_model("bert"), Settings(measure, 0.05)) for measure in ("dot", "cosine"))
    difference = {some.bars.effect: some for some in differences(one, other)}["own_pairs"]
    rows = one.part_by_part.values["own_pairs"] - other.part_by_part.values["own_pairs"]
    parts = len(rows) - 1
    error = np.sqrt((parts - 1) / parts * ((rows[1:] - rows[1:].mean()) ** 2).sum()) * WIDEN["own_pairs"]
    assert difference.high - difference.low == pytest.approx(2 * t(parts - 1).ppf(0.975) * error)
    assert (difference.low + difference.high) / 2 == pytest.approx(difference.first - difference.second)
    assert all(some.first == some.second and some.low == some.high == 0 for some in differences(one, one))


def test_a_study_beside_itself_is_alike_in_every_claim(studies: dict[str, Study]) -> None:
    beside = other_differences([Subject("one", studies["model"]), Subject("other", studies["model"])])
    assert len(beside) >= 5
    assert {held.verdict for held in beside} == {"alike"}
    assert all(
        one.first == one.second and not np.any([one.low, one.high]) for held in beside for one in held.differences
    )


def test_several_twins_are_held_against_by_their_mean_with_an_interval_that_holds_each(
    subjects: Callable[..., list[Subject]],
) -> None:
    twins = [f"twin {seed}" for seed in range(3)]
    together = causes_table(subjects("model", *twins)).set_index("effect")
    each = [causes_table(subjects("model", twin)).set_index("effect") for twin in twins]
    np.testing.assert_allclose(together["second"], np.mean([one["second"] for one in each], axis=0))
    np.testing.assert_array_equal(together["low"], np.min([one["low"] for one in each], axis=0))
    np.testing.assert_array_equal(together["high"], np.max([one["high"] for one in each], axis=0))
    assert (together["against"] == ", ".join(twins)).all()
    assert "one untrained twin" in few_twins(subjects("model", "twin 0"))
    assert "2 untrained twins: how far twins of other seeds differ takes 3" in few_twins(subjects("model", *twins[:2]))
    assert not few_twins(subjects("model", *twins)) and not few_twins(subjects("model", "shuffled"))


def test_every_verdict_follows_from_its_row(subjects: Callable[..., list[Subject]]) -> None:
    table = causes_table(subjects("model", "twin 0", "shuffled"))
    sign = np.where(table["claim"] == "C2", -1, 1)
    low = np.where(sign > 0, table["low"], -table["high"])
    high = np.where(sign > 0, table["high"], -table["low"])
    outcome = np.select([low > table["margin"], high < table["margin"]], ["yes", "no"], "open")
    np.testing.assert_array_equal(table["outcome"], outcome)
    for _, rows in table.groupby("claim"):
        learned = (rows.loc[rows["kind"] == "untrained", "outcome"] == "yes").all()
        assert ("learned" in rows["verdict"].iloc[0].replace("not learned", "")) == learned


def test_texts_of_which_one_cannot_be_asked_are_asked_the_rest(tiny_model: Callable[[str], LoadedModel]) -> None:
    """One sentence: what lies inside it is no question."""
    sentence = analyze("The tide rose and the boats rose with it to the wall", tiny_model("bert"))
    whole = analyze(TEXT, tiny_model("bert"))
    claims = {held.claim for held in other_differences([Subject("one", whole), Subject("two", sentence)])}
    assert "C2" in claims and "C3" not in claims


@pytest.mark.parametrize(
    ("apart", "verdict"),
    [((False, False), "alike"), ((False, None), "open"), ((None, True), "different"), ((False, True), "different")],
)
def test_two_subjects_are_alike_only_where_the_texts_tell_it(apart: tuple[bool | None, ...], verdict: str) -> None:
    differences: Any = tuple(SimpleNamespace(apart=one) for one in apart)
    assert Held("C1", "own", "a", "subject", ("b",), differences).verdict == verdict  # type: ignore[arg-type]
