"""Roles: which property names a head, and which is its second role."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_core.charts.role_words import described_roles, role_rules
from attn_core.measures.roles import FEW, MIXED, NAMES, ROLES, assign_roles, information
from tests.measures.made_up import heads_of, made_passage, measured, random_choice

shares = st.floats(0, 1, allow_subnormal=False)


def role_of(anchor_is_separator: bool = False, pairs: int = 1000, **shares: tuple[float, float]) -> pd.Series:
    """The row of a head with roles and rule; share and chance of what is named, 10% at chance level for the rest."""
    row: dict[str, object] = {"pairs": pairs, "windows": 1, "anchor_is_separator": anchor_is_separator}
    row |= {"anchor": "tide", "repeated_tokens": "the sea"}
    for role in ROLES:
        row[role.statistic], row[role.chance] = shares.get(role.name, (0.1, 0.1))
    heads = pd.DataFrame([row])
    heads = heads.join(assign_roles(heads))
    return heads.assign(rule=role_rules(heads)).iloc[0]


@pytest.mark.parametrize("role", NAMES)
def test_a_property_far_above_chance_names_the_role(role: str) -> None:
    assert role_of(**{role: (0.7, 0.2)})["role"] == role


def test_nothing_above_chance_is_mixed() -> None:
    for head in (role_of(), role_of(repetition=(0.15, 0.1))):
        assert (head["role"], head["second_role"]) == (MIXED, "")


def test_few_pairs_give_no_role_since_it_may_be_luck() -> None:
    assert role_of(pairs=29, repetition=(0.9, 0.1))["role"] == FEW
    for pairs, role in ((30, MIXED), (300, "anchor")):
        assert role_of(pairs=pairs, anchor=(0.3, 0.1))["role"] == role


@pytest.mark.parametrize("pairs", [30, 60])
def test_few_random_pairs_give_a_role_to_hardly_any_head(pairs: int) -> None:
    """Of many tokens one is always met by several; 360 heads, at most one in a hundred by chance."""
    ids = np.random.default_rng(1).integers(0, 40, 80).tolist()
    passage = made_passage(ids, sentences=np.repeat(np.arange(8), 10).tolist())
    drawn = (heads_of([measured(random_choice(passage, pairs, seed))]) for seed in range(90))
    roles = pd.concat([assign_roles(heads)["role"] for heads in drawn])
    assert len(roles) == 360 and (roles == MIXED).mean() > 0.99


@pytest.mark.parametrize(("is_separator", "role"), [(False, "anchor"), (True, "separators")])
def test_a_separator_as_anchor_counts_as_separators(is_separator: bool, role: str) -> None:
    assert role_of(is_separator, separators=(0.6, 0.14), anchor=(0.6, 0.12))["role"] == role


def test_the_second_role_is_the_next_property_above_chance() -> None:
    two = role_of(repetition=(0.5, 0.02), anchor=(0.65, 0.15), neighbours=(0.3, 0.1))
    assert (two["role"], two["second_role"]) == ("repetition", "anchor")
    assert "50% of" in two["rule"] and "chance 2% (1.8 bits per pair). Second, anchor: 65%" in two["rule"]
    assert described_roles(two) == "repetition (“the”, “sea”), then anchor “tide”"
    one = role_of(repetition=(0.5, 0.02), anchor=(0.2, 0.15))
    assert (one["role"], one["second_role"]) == ("repetition", "")


def test_pairs_inside_a_sentence_count_beyond_those_of_like_distance() -> None:
    head = role_of(sentence=(0.45, 0.05))
    assert (
        head["role"] == "sentence"
        and "45% of its strong pairs lie inside one sentence; at like distance 5%" in (head["rule"])
    )
    assert role_of(neighbours=(0.4, 0.01), sentence=(0.8, 0.75))["role"] == "neighbours"


@given(shares, shares)
def test_information_is_what_a_loop_over_outcomes_gives(share: float, chance: float) -> None:
    bits = float(information(np.array(share), np.array(chance)))
    outcomes = [(share, chance), (1 - share, 1 - chance)] if 0 < chance < 1 else []
    assert bits == pytest.approx(sum(p * np.log2(p / q) for p, q in outcomes if p > 0), abs=1e-9)
