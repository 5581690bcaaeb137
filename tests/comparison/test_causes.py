"""What is learned, what is language: by the difference of each effect to the controls, with its interval."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from attn_core.comparison.causes import Cause, Contrast, Kind, causes, causes_table, few_twins, other_differences
from attn_core.comparison.differences import Difference, differences
from attn_core.comparison.subjects import StudySubject, findings_table
from attn_core.findings.bars import BY_EFFECT, Bars
from attn_core.measures.effects import effect_values
from attn_core.models.files import ModelSpec
from attn_core.numerics.leave_one_out import interval
from attn_core.similarity.strong_pairs import Settings
from attn_core.study.corpus import Corpus
from attn_core.study.opened import Study
from attn_core.study.runner import run_study
from attn_core.study.settings import StudySettings
from attn_core.study.shard_tables import group_sizes, read_tally
from tests.families import Folder
from tests.study.made_up import write_corpus

Subjects = Callable[..., list[StudySubject]]
ROLES, REACH = BY_EFFECT["anchored"], BY_EFFECT["reach"]


def cause(bars: Bars, own: float, **beside: tuple[float, float, float]) -> Cause:
    """Of an effect whose baselines have a number each, and an interval of the difference."""
    kinds: dict[str, Kind] = {"untrained": "untrained", "permuted": "permuted", "shuffled": "shuffled"}
    contrasts = tuple(
        Contrast("a", kinds[name], (name,), Difference(bars, own, *numbers)) for name, numbers in beside.items()
    )
    return Cause(bars, "a", contrasts)


FAR, SMALL, NONE, OTHER, WIDE = (0.25, 0.45), (0.01, 0.04), (-0.02, 0.03), (-0.45, -0.25), (0.02, 0.45)
NOT_KNOWN = (np.nan, np.nan)


def test_what_both_twins_lack_is_learned_and_the_numbers_stand_in_its_sentence() -> None:
    judged = cause(ROLES, 0.4, untrained=(0.05, 0.25, 0.45), permuted=(0.1, 0.25, 0.35), shuffled=(0.39, -0.02, 0.03))
    assert judged.label == "learned; language: no difference"
    assert judged.sentence == (
        "Heads with an anchor 40%; untrained twin 5%, difference 35 [25, 45]; "
        "permuted twin 10%, difference 30 [25, 35]; shuffled text 39%, difference 1 [-2, 3]"
    )


@pytest.mark.parametrize(
    ("interval", "word"),
    [
        (FAR, "language"), (SMALL, "less than counts"), (NONE, "no difference"), (OTHER, "the other way"), (WIDE, "open"),
        ((-0.30, 0.03), "open"), (NOT_KNOWN, "open"),
    ],
)  # fmt: skip
def test_every_interval_has_its_word(interval: tuple[float, float], word: str) -> None:
    assert cause(ROLES, 0.4, shuffled=(0.1, *interval)).language == word


@pytest.mark.parametrize(
    ("untrained", "permuted", "word"),
    [
        (FAR, FAR, "learned"), (FAR, SMALL, "less than counts"), (WIDE, SMALL, "open"), (FAR, WIDE, "open"),
        (NONE, WIDE, "no difference"), (NONE, OTHER, "the other way"), (FAR, None, "not asked"), (None, FAR, "not asked"),
    ],
)  # fmt: skip
def test_of_two_networks_that_never_learned_the_lowest_word_counts(
    untrained: tuple[float, float] | None, permuted: tuple[float, float] | None, word: str
) -> None:
    beside = {name: (0.1, *one) for name, one in (("untrained", untrained), ("permuted", permuted)) if one is not None}
    assert cause(ROLES, 0.4, **beside).learned == word


def test_a_claim_that_says_less_is_learned_where_the_model_has_less() -> None:
    assert cause(REACH, -0.3, shuffled=(0.0, -0.4, -0.2)).language == "language"
    assert cause(REACH, -0.3, shuffled=(-0.6, 0.2, 0.4)).language == "the other way"
    assert cause(REACH, -0.3, shuffled=(-0.3, -0.05, 0.05)).language == "no difference"
    assert REACH.margin == pytest.approx(0.175)


@pytest.fixture(scope="module")
def studies(tiny_folder: Folder, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Study]:
    """Of one corpus: a model, three twins of it, the shuffled texts, the model by cosine."""
    folder = tmp_path_factory.mktemp("causes")
    corpus = Corpus(str(write_corpus(folder / "texts", texts=8)))
    spec = ModelSpec(str(tiny_folder("bert")))
    plain = StudySettings(Settings(share=0.05))
    made = {
        "model": (spec, plain),
        **{f"twin {seed}": (replace(spec, twin=("untrained", seed)), plain) for seed in range(3)},
        "shuffled": (spec, replace(plain, layout="shuffled")),
        "cosine": (spec, StudySettings(Settings("cosine", 0.05))),
    }
    return {name: run_study(corpus, spec, folder / name, how) for name, (spec, how) in made.items()}


@pytest.fixture
def subjects(studies: dict[str, Study]) -> Subjects:
    return lambda *names: [StudySubject(name, studies[name]) for name in names]


def test_twins_and_shuffled_texts_are_known_by_where_they_come_from(subjects: Subjects) -> None:
    told = causes(subjects("model", "twin 0", "shuffled", "cosine"))
    assert {one.subject for one in told} == {"model"}
    assert {(held.kind, held.others) for one in told for held in one.contrasts} == {
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
    rows = [effect_values(read_tally(one.folder), one.shape)[0]["own_pairs"] for one in (model, twin)]
    assert (difference.low, difference.high) == pytest.approx(interval(rows[0] - rows[1], group_sizes(model.folder)[0]))


def test_the_numbers_of_the_untrained_copy_stand_in_the_sentences_of_its_model(subjects: Subjects) -> None:
    table = findings_table(subjects("model", "twin 0"))
    assert table["claim"].tolist() == sorted(table["claim"])
    table = table.set_index(["topic", "subject"])
    for topic in ("Own matrices", "Repetition heads", "An anchor", "Noise"):
        expected = f"The untrained twin has {table.loc[(topic, 'twin 0'), 'effect']}."
        assert expected in table.loc[(topic, "model"), "sentence"]
        assert "The untrained twin has" not in table.loc[(topic, "twin 0"), "sentence"]


def test_a_study_beside_itself_is_alike_in_every_claim(studies: dict[str, Study]) -> None:
    beside = other_differences([StudySubject("one", studies["model"]), StudySubject("other", studies["model"])])
    assert len(beside) >= 5
    assert {held.verdict for held in beside} == {"alike"}
    assert all(
        one.first == one.second and not np.any([one.low, one.high]) for held in beside for one in [held.difference]
    )


def test_several_twins_are_held_against_by_their_mean_with_an_interval_that_holds_each(subjects: Subjects) -> None:
    twins = [f"twin {seed}" for seed in range(3)]
    together = causes_table(subjects("model", *twins)).set_index("effect")
    each = [causes_table(subjects("model", twin)).set_index("effect") for twin in twins]
    np.testing.assert_allclose(together["second"], np.mean([one["second"] for one in each], axis=0))
    np.testing.assert_array_equal(together["low"], np.min([one["low"] for one in each], axis=0))
    np.testing.assert_array_equal(together["high"], np.max([one["high"] for one in each], axis=0))
    assert (together["against"] == ", ".join(twins)).all()
    assert "one twin of a kind" in few_twins(subjects("model", "twin 0"))
    assert "2 twins of a kind; how far twins of other seeds differ is seen from 3 on" in few_twins(
        subjects("model", *twins[:2])
    )
    assert not few_twins(subjects("model", *twins)) and not few_twins(subjects("model", "shuffled"))


def test_every_verdict_follows_from_its_row(subjects: Subjects) -> None:
    table = causes_table(subjects("model", "twin 0", "shuffled"))
    sign = np.where(table["claim"] == "C2", -1, 1)
    low, high = (np.where(sign > 0, table[one], -table[other]) for one, other in (("low", "high"), ("high", "low")))
    np.testing.assert_array_equal(table["outcome"] == "beyond the margin", low > table["margin"])
    np.testing.assert_array_equal(table["outcome"] == "the other way", high < 0)
    assert not table["verdict"].str.contains("learned").any(), "one of the two networks is missing"


@pytest.mark.parametrize(
    ("interval", "verdict"),
    [(NONE, "alike"), (FAR, "different"), (OTHER, "different"), (WIDE, "open"), (NOT_KNOWN, "open")],
)
def test_two_subjects_are_alike_only_where_the_texts_tell_it(interval: tuple[float, float], verdict: str) -> None:
    assert Contrast("a", "another", ("b",), Difference(ROLES, 0.4, 0.3, *interval)).verdict == verdict
