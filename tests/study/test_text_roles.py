"""Stable roles of the texts of a study: against each text alone, and their agreement against a loop over two texts."""

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from attn_core.analysis.one_text import analyze
from attn_core.models.files import ModelSpec
from attn_core.study.runner import run_study
from attn_core.study.settings import StudySettings
from attn_core.study.subjects import with_baselines
from attn_core.study.text_roles import agreement
from attn_core.texts.documents import samples
from tests.study.made_up import write_texts


@pytest.mark.long
@pytest.mark.model
def test_roles_are_those_of_each_text_alone(tmp_path: Path) -> None:
    texts = [sample.text[:1600] for sample in samples() if sample.language == "en"][:5] + [
        "The tide rose. The boats rose."
    ]
    corpus = write_texts(tmp_path / "texts", {f"{number}.txt": text for number, text in enumerate(texts)})
    subjects = with_baselines([ModelSpec()], ["untrained"], seeds=1)
    settings = StudySettings(stable_roles=True, min_tokens=0)
    study = run_study(corpus, subjects, tmp_path / "study", settings)
    alone = [analyze(text, language="en").roles for text in texts[:-1]]  # the last one has too few pairs
    for role, rows in study.of().table("text_roles").groupby("role"):
        expected = np.mean([roles["stable_role"] == role for roles in alone], axis=0)
        np.testing.assert_allclose(rows["share"], expected)
    own, copy = study.table("role_agreement").to_dict("records")
    assert own["texts"] == copy["texts"] == len(alone)
    assert own["stable"] > 0.2 > copy["stable"]
    assert own["same_role_low"] <= own["same_role"] <= own["same_role_high"] and own["kept"] < own["same_role"]


@pytest.mark.parametrize("parts", [1, 2])
def test_two_texts_of_different_groups_agree_as_a_loop_says(parts: int) -> None:
    """parts: of each text, of which a share may have a role."""
    rng, texts, heads, roles = np.random.default_rng(parts), 9, 5, 4
    groups = rng.integers(0, 6, texts)
    has = np.eye(roles)[rng.integers(0, roles, (texts, parts, heads))].mean(axis=1)[..., :-1]  # the last is none
    two = [(a, b) for a, b in permutations(range(texts), 2) if groups[a] != groups[b]]
    same = sum((has[a] * has[b]).sum() for a, b in two)
    found = agreement(has, groups)
    assert found["stable"] == pytest.approx(has.sum(axis=2).mean())
    assert found["same_role"] == pytest.approx(same / sum((has[a].sum(1) * has[b].sum(1)).sum() for a, b in two))
    assert found["kept"] == pytest.approx(same / sum(has[a].sum() for a, _ in two))
    without = [agreement(has[groups != group], groups[groups != group])["kept"] for group in np.unique(groups)]
    assert min(without) < found["kept"] < max(without) and found["kept_low"] < found["kept"] < found["kept_high"]


def test_where_no_head_has_a_stable_role_nothing_agrees() -> None:
    found = agreement(np.zeros((5, 3, 6)), np.arange(5))
    assert found["stable"] == 0 and np.isnan([found["same_role"], found["kept"], found["kept_low"]]).all()
