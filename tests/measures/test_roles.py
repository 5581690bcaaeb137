"""Roles: which property names a head, what the rule says, and which pairs of the text show it."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_core.measures.roles import FEW, MIXED, NAMES, ROLES, assign_roles, describe_role, information
from tests.measures.made_up import heads_of, made_passage, measured, random_choice

shares = st.floats(0, 1, allow_subnormal=False)


def head(anchor_is_separator: bool = False, pairs: int = 1000, **shares: tuple[float, float]) -> pd.DataFrame:
    """A heads table of one head; share and chance level of what is named, 10 % at chance level for the rest."""
    row: dict[str, object] = {
        "pairs": pairs,
        "windows": 1,
        "anchor": "tide",
        "anchor_is_separator": anchor_is_separator,
    }
    row["repeated_tokens"] = "the sea"
    for role in ROLES:
        share, chance = shares.get(role.name, (0.1, 0.1))
        row |= {role.statistic: share, f"chance_{role.statistic}": chance}
    return pd.DataFrame([row])


def role_of(**told: object) -> str:
    return assign_roles(head(**told))["role"][0]  # type: ignore[arg-type]


@pytest.mark.parametrize("role", NAMES)
def test_a_property_far_above_chance_names_the_role(role: str) -> None:
    assert role_of(**{role: (0.7, 0.2)}) == role


def test_nothing_above_chance_is_mixed() -> None:
    table = assign_roles(head(repetition=(0.15, 0.1)))
    assert table["role"].tolist() == [MIXED.name]
    assert table["role_rule"][0] == "no property exceeds chance by 10% of its strong pairs; most: repetition, by 5%"


def test_what_few_pairs_show_may_be_luck() -> None:
    assert assign_roles(head(pairs=29, repetition=(0.9, 0.1)))[
        ["role", "second_role", "role_rule"]
    ].values.tolist() == [[FEW.name, "", "too few strong pairs to tell a role: no window has the 30 that it takes"]]
    (rule,) = assign_roles(head(pairs=30, anchor=(0.3, 0.1)))["role_rule"]
    assert rule == "too few strong pairs to tell a role from luck; most: anchor, by 20% above chance"
    assert role_of(pairs=300, anchor=(0.3, 0.1)) == "anchor"


@pytest.mark.parametrize("pairs", [30, 60])
def test_few_random_pairs_give_a_role_to_hardly_any_head(pairs: int) -> None:
    """Of many tokens one is always met by several; 360 heads, at most one in a hundred by chance."""
    ids = np.random.default_rng(1).integers(0, 40, 80).tolist()
    passage = made_passage(ids, sentences=np.repeat(np.arange(8), 10).tolist())
    drawn = (heads_of([measured(random_choice(passage, pairs, seed))]) for seed in range(90))
    roles = pd.concat([assign_roles(heads)["role"] for heads in drawn])
    assert len(roles) == 360 and (roles == MIXED.name).mean() > 0.99


def test_a_separator_as_anchor_counts_as_separators() -> None:
    told = {"separators": (0.6, 0.14), "anchor": (0.6, 0.12)}
    assert role_of(**told) == "anchor"
    assert role_of(anchor_is_separator=True, **told) == "separators"


def test_a_second_property_that_stands_out_is_the_second_role() -> None:
    two = assign_roles(head(repetition=(0.5, 0.02), anchor=(0.65, 0.15), neighbours=(0.3, 0.1)))
    assert (two["role"][0], two["second_role"][0]) == ("repetition", "anchor")
    assert two["role_rule"][0] == (
        "50% of its strong pairs are one token twice, without the token that it repeats most (“the”, “sea”); chance 2% "
        "(1.8 bits per pair). Second, anchor: 65% of its strong pairs touch its anchor token “tide”; chance 15% "
        "(0.9 bits per pair)"
    )
    named = {"anchor": "tide", "repeated_tokens": "the sea"}
    assert describe_role(two.assign(**named).iloc[0]) == "repetition (“the”, “sea”), then anchor “tide”"
    one = assign_roles(head(repetition=(0.5, 0.02), anchor=(0.2, 0.15)))
    assert (one["second_role"][0], describe_role(one.assign(**named).iloc[0])) == ("", "repetition (“the”, “sea”)")
    assert assign_roles(head())["second_role"].tolist() == [""]


def test_neighbours_do_not_count_as_pairs_inside_a_sentence() -> None:
    assert role_of(neighbours=(0.4, 0.01), sentence=(0.45, 0.05)) == "neighbours"
    assert role_of(neighbours=(0.05, 0.01), sentence=(0.45, 0.05)) == "sentence"
    # Of 80 % inside a sentence, 50 points are neighbours: what is left tells less than they do, 0.5 bits against 0.7.
    assert role_of(neighbours=(0.5, 0.1), sentence=(0.8, 0.15)) == "neighbours"


@given(shares, shares)
def test_information_is_what_a_loop_over_outcomes_gives(share: float, chance: float) -> None:
    bits = float(information(np.array(share), np.array(chance)))
    if chance in (0, 1):
        assert bits == 0
        return
    outcomes = [(share, chance), (1 - share, 1 - chance)]
    assert bits == pytest.approx(sum(p * np.log2(p / q) for p, q in outcomes if p > 0), abs=1e-9)
    assert bits >= -1e-9
