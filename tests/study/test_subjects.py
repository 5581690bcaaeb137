"""Subjects: names, folders, and facts that come back whatever a name holds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_core.errors import InputError
from attn_core.io.paths import display_name
from attn_core.models.baselines import CONTROLS
from attn_core.models.files import COPIES, STACKS, ModelSpec
from attn_core.models.removal import REPLACEMENTS, Removal
from attn_core.runs.folder import to_json
from attn_core.study.subjects import Subject, from_facts, refuse_twice, spec_named, subject_name, with_baselines

NAMES = st.text(min_size=1) | st.sampled_from(
    ["a+untrained:7", "runs/line\nend", "untrained", "m, untrained copy (seed 3)"]
)
SPECS = st.builds(
    ModelSpec,
    NAMES,
    st.none() | st.text(),
    st.none() | st.tuples(st.sampled_from(list(COPIES)), st.integers(0, 99)),
    window_tokens=st.integers(16, 4096),
    stack=st.sampled_from(STACKS),
    ablation=st.none() | st.builds(Removal, st.just(("L1H2", "L3H4")), st.sampled_from(REPLACEMENTS)),
)
SUBJECTS = st.builds(Subject, NAMES, SPECS, step=st.none() | st.integers(0), of=st.text())


@given(SUBJECTS)
def test_a_subject_comes_back_from_its_facts(subject: Subject) -> None:
    assert from_facts(subject.facts) == subject and to_json(subject.facts)


@given(st.lists(SUBJECTS, min_size=2, max_size=2, unique_by=lambda one: (one.name, one.step)))
def test_folders_of_two_subjects_are_two(subjects: list[Subject]) -> None:
    slugs = {one.slug for one in subjects}
    assert len(slugs) == 2
    assert all(set(slug) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") for slug in slugs)


@pytest.mark.parametrize(
    ("name", "spec"),
    [
        ("org/m", ModelSpec("org/m")),
        ("org/m+untrained", ModelSpec("org/m", copy=("untrained", 0))),
        ("org/m+shuffled_weights:7", ModelSpec("org/m", copy=("shuffled_weights", 7))),
        ("org/m+cross+untrained:2", ModelSpec("org/m", stack="cross", copy=("untrained", 2))),
        ("runs/c++", ModelSpec("runs/c++")),
        ("runs/a+b", ModelSpec("runs/a+b")),
        ("org/m+window:64", ModelSpec("org/m", window_tokens=64)),
        ("org/m+without:L3H10,L1H2:zero", ModelSpec("org/m", ablation=Removal(("L1H2", "L3H10"), "zero"))),
    ],
)
def test_a_name_stands_for_a_model(name: str, spec: ModelSpec) -> None:
    assert spec_named(name) == spec


@given(SPECS.filter(lambda spec: display_name(spec.name) == spec_named(spec.name).name == spec.name))
def test_the_name_of_a_subject_stands_for_its_model(spec: ModelSpec) -> None:
    assert spec_named(subject_name(spec), revision=spec.revision) == spec


@pytest.mark.parametrize("name", ["m+window:3", "m+without:L0H1:mean", "m+without:x:zero"])
def test_a_mark_that_no_model_can_have_is_refused(name: str) -> None:
    with pytest.raises(InputError):
        spec_named(name)


def test_every_model_is_followed_by_its_baselines() -> None:
    subjects = with_baselines([ModelSpec("org/a"), ModelSpec("org/b")], CONTROLS, seeds=2)
    assert [subject.name for subject in subjects[:6]] == [
        "org/a", "org/a+untrained:0", "org/a+untrained:1", "org/a+shuffled_weights:0", "org/a+shuffled_weights:1",
        "org/a+shuffled_text:0",
    ]  # fmt: skip
    assert with_baselines([ModelSpec("m", window_tokens=32)])[0].name == "m+window:32"
    assert [subject.baseline for subject in subjects[:6:2]] == [None, "untrained", "shuffled_weights"]
    assert all(one.serves(subjects[0]) and not one.serves(subjects[6]) for one in subjects[1:6])


def test_two_subjects_of_one_name_are_refused() -> None:
    with pytest.raises(InputError, match="Two of the subjects are called m"):
        with_baselines([ModelSpec("m", "one"), ModelSpec("m", "two")])
    refuse_twice(with_baselines([ModelSpec("m")]) * 2)
