"""The three sentences of a text, on tables whose answer is known."""

import numpy as np
import pandas as pd
import pytest

from attn_core.findings.in_short import learned_in_words, length_caveat, open_in_words, roles_beside_twins, standing_out

CHANCE = {
    "chance_other_repetition_share": 0.02, "chance_near_share": 0.05, "chance_separator_share": 0.1,
    "chance_same_sentence_share": 0.1, "chance_anchor_coverage": 0.1,
}  # fmt: skip

REPEATS = "one token twice, without the token that it repeats most (“tide”, “sea”)"


def heads(**shares: list[float]) -> pd.DataFrame:
    """Two heads of one layer with the shares that are given, and chance for the rest."""
    every = {name.removeprefix("chance_"): [chance] * 2 for name, chance in CHANCE.items()} | shares
    return pd.DataFrame(every).assign(
        layer=1, head=[1, 2], pairs=1000, anchor="the", repeated_tokens="tide sea", anchor_is_separator=False, length_share=0.4,
        chance_length_share=0.01, **CHANCE,
    )  # fmt: skip


def test_the_head_with_most_of_a_kind_is_named_beside_the_most_of_any_head_of_the_twins() -> None:
    own = heads(other_repetition_share=[0.1, 0.8])
    (one,) = standing_out(own, {"untrained twin": heads(other_repetition_share=[0.3, 0.2])})
    assert (str(one.head), one.what, one.share) == ("L1H2", REPEATS, 0.8)
    assert one.beside == "80% of its strong pairs; at most 30% in any head of its untrained twin"


def test_what_a_head_of_a_twin_shows_as_often_is_no_sign_of_learning() -> None:
    own = heads(other_repetition_share=[0.1, 0.8], anchor_coverage=[0.9, 0.1])
    twins = {"untrained twin": heads(other_repetition_share=[0.75, 0.0]), "permuted twin": heads()}
    (one,) = standing_out(own, twins)
    assert one.what == "“the” with other tokens" and "either twin" in one.beside


def test_without_twins_chance_stands_beside_and_nothing_is_named_where_nothing_stands_out() -> None:
    (one,) = standing_out(heads(other_repetition_share=[0.1, 0.8]), {})
    assert one.beside == "80% of its strong pairs; the most of any head, where chance for a single head is 2%"
    assert standing_out(heads(), {}) == []


def test_a_head_is_named_once() -> None:
    (one,) = standing_out(heads(other_repetition_share=[0.1, 0.8], anchor_coverage=[0.1, 0.5]), {})
    assert one.what == REPEATS


def test_an_anchor_that_is_a_separator_is_not_named() -> None:
    assert standing_out(heads(anchor_coverage=[0.9, 0.1]).assign(anchor_is_separator=True), {}) == []


@pytest.mark.parametrize(
    ("permuted", "learned", "unclear", "told", "left_open"),
    [
        (np.nan, ["", ""], ["", ""], "not known yet", "No row"),
        (np.nan, ["language", "different"], ["", ""], "not known yet", "No row"),
        (0.1, ["no difference", "open"], ["", ""], "Nothing here differs", "Open whether learned: late layers pair"),
        (0.1, ["open", "open"], ["", "too little text"], "Nothing", "whether late layers pair within a sentence. Open whether"),
        (0.1, ["learned", "learned"], ["", "too little text"], "strong pairs reach less far later; late", "No row"),
    ],
)  # fmt: skip
def test_what_is_learned_and_what_is_open(
    permuted: float, learned: list[str], unclear: list[str], told: str, left_open: str
) -> None:
    claims = pd.DataFrame({"effect": ["later_reach", "late_sentences"], "learned": learned, "unclear": unclear})
    claims = claims.assign(untrained=0.1, permuted=permuted)
    assert told in learned_in_words(claims)
    assert left_open in open_in_words(claims)


def test_of_many_rows_the_first_are_named() -> None:
    effects = ["own_pairs", "later_reach", "reach", "late_sentences", "sentences"]
    claims = pd.DataFrame({"effect": effects, "learned": "learned", "unclear": ""}).assign(untrained=0, permuted=0)
    assert learned_in_words(claims).endswith("in the last layer; and 2 rows more.")


def test_longest_vectors_and_roles_stand_beside_those_of_the_twins() -> None:
    told = length_caveat(heads(), {"untrained twin": heads().assign(length_share=0.9)})
    assert told.startswith("40% of all strong pairs") and "(90% in its untrained twin, 1% by chance)" in told
    assert roles_beside_twins(55, 72, {"untrained twin": 53}) == "55 of 72 heads have a role, 53 of its untrained twin"
