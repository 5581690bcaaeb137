"""What is concluded from the table of verdicts, claim by claim, and the table behind a specification curve."""

import numpy as np
import pandas as pd
import pytest
from attn_core.findings.bars import BARS
from attn_core.reproduction.choices import CHOICES, WindowChoice, as_columns, readings
from attn_core.reproduction.conclusions import DEPENDS, Standing, curve_table, standings, twins_of, two_sentences

MODEL = "org/tiny"
USUAL = as_columns(WindowChoice(), "plain")


def made_up() -> pd.DataFrame:
    """Every combination of one model and its controls: the effect is its place among them, the verdict no clear sign."""
    rows = [
        {
            "corpus": "novels", "model": MODEL, "control": how.control or "none", "seed": how.seed, "claim": bars.claim,
            "effect_name": bars.effect, **as_columns(settings, how.shown_layout), "texts": 5, "units": 5, "over": "texts",
            "effect": float(place), "chance": 1.0, "low": place - 0.5, "high": place + 0.5, "verdict": "no clear sign",
            "unclear": "small", "reason": "It is small.",
        }
        for how in readings(("untrained", "shuffled"), 2)
        for place, settings in enumerate(CHOICES)
        for bars in BARS
    ]  # fmt: skip
    table = pd.DataFrame(rows).astype({"seed": "Int64"})
    own = table["control"] == "none"
    for name, column, there in (
        ("untrained", "learned", own), ("permuted", "learned", own), ("shuffled", "language", own & (table["layout"] == "plain")),
    ):  # fmt: skip
        for bound, value in (("", 4.0), ("_low", 3.0), ("_high", 5.0)):
            table[f"{name}_difference{bound}"] = np.where(there, value, np.nan)
        word = "no difference" if column == "language" else "learned"
        table[column] = pd.Series(word, index=table.index).where(there, "not asked").where(own, None)
    return table


def of(table: pd.DataFrame, row: str, control: str = "none") -> Standing:
    (found,) = standings(table[(table["effect_name"] == row) & (table["control"] == control)])
    return found


def test_claims_of_a_model_come_before_those_of_its_controls() -> None:
    found = standings(made_up())
    assert [one.control for one in found] == ["none"] * 12 + ["untrained"] * 12 + ["shuffled"] * 12
    assert [one.bars for one in found[:12]] == list(BARS)


def test_a_verdict_is_that_of_more_than_half_of_the_choices_of_the_paper_s_measure() -> None:
    table = made_up()
    ours = (table["effect_name"] == "sentences") & (table["control"] == "none")
    own = table.index[ours & (table["measure"] == "dot")]
    assert (of(table, "sentences").verdict, of(table, "sentences").how_many) == ("no clear sign", "30 of 30")
    table.loc[ours & (table["measure"] != "dot"), "verdict"] = "unlike the paper"
    assert of(table, "sentences").how_many == "30 of 30", "other measures are beside it, not added"
    assert of(table, "sentences").beyond_the_paper == (
        "Our extension: cosine unlike the paper 30; centred unlike the paper 30."
    )
    for count, verdict, how_many in (
        (15, DEPENDS, "as in paper 15, unclear 15"), (16, "as in the paper", "16 of 30"),
    ):  # fmt: skip
        table.loc[own[:count], ["verdict", "unclear"]] = "as in the paper", ""
        assert (of(table, "sentences").verdict, of(table, "sentences").how_many) == (verdict, how_many)
    assert of(table, "sentences").summary == (
        "As in the paper under 16 of 30 choices, no clear sign under 14 (small 14); learned: learned 30; "
        "language: no difference 15."
    )


@pytest.mark.parametrize(("row", "control", "combinations"), [
    ("own_pairs", "none", 30), ("separators", "none", 4), ("own_pairs", "untrained", 60), ("own_pairs", "shuffled", 15),
    ("separator_trend", "shuffled", 2), ("repeating", "none", 30), ("distinct", "shuffled", 15),
])  # fmt: skip
def test_choices_that_cannot_move_a_row_are_not_counted(row: str, control: str, combinations: int) -> None:
    assert of(made_up(), row, control).combinations == combinations


def test_the_numbers_are_those_of_the_usual_choice() -> None:
    place = CHOICES.index(WindowChoice())
    effect = of(made_up(), "noise").effect
    assert effect is not None
    assert (effect.value, effect.low, effect.high, effect.chance) == (place, place - 0.5, place + 0.5, 1)
    told = of(made_up(), "noise").under_usual_choice
    assert told.startswith(
        f"Under our usual choice {place:.2f} [{place - 0.5:.2f}, {place + 0.5:.2f}], by chance 1.00. Noise rate"
    )
    assert f"untrained twin {place - 4:.2f}, difference 4.00 [3.00, 5.00]" in told


def test_of_several_twins_the_mean_is_told_with_an_interval_that_holds_each_of_theirs() -> None:
    table, place = made_up(), CHOICES.index(WindowChoice())
    second = table["seed"] == 1
    table.loc[second, ["effect", "low", "high"]] += 4
    effect = of(table, "noise", "untrained").effect
    assert effect is not None
    assert (effect.value, effect.low, effect.high) == (place + 2, place - 0.5, place + 4.5)


def test_learned_and_language_are_what_more_than_half_of_the_choices_say() -> None:
    table = made_up()
    assert of(table, "sentences").origin == "learned; language: no difference"
    own = table.index[
        (table["effect_name"] == "sentences") & (table["control"] == "none") & (table["measure"] == "dot")
    ]
    table.loc[own[:15], "learned"] = "open"
    assert of(table, "sentences").origin == f"learned: {DEPENDS}; language: no difference"
    table.loc[own[:16], "learned"] = "open"
    assert of(table, "sentences").origin == "learned: open; language: no difference"
    assert of(table, "sentences", "untrained").origin == ""


def test_two_sentences_say_which_rows_hold_and_why() -> None:
    table = made_up()
    table.loc[table["effect_name"] == "reach", "verdict"] = "as in the paper"
    table.loc[(table["effect_name"] == "reach") & (table["control"] == "none"), "learned"] = "open"
    first, second = two_sentences([one for one in standings(table) if one.control == "none"])
    assert first.startswith("Under most choices no clear sign: C1 Own matrices, C2 Shorter later, C3 Same sentence")
    assert first.endswith(" · as in the paper: C2 Shorter at the end.")
    assert second.startswith("Under most choices learned; language: no difference: C1 Own matrices")
    assert second.endswith(" · learned: open; language: no difference: C2 Shorter at the end.")
    alone = table[table["control"] == "none"].assign(learned=None, language=None)
    assert two_sentences(standings(alone))[1] == ""


def test_a_claim_that_cannot_be_asked_has_a_reason_and_no_numbers() -> None:
    table = made_up()
    here = table["effect_name"] == "separators"
    numbers = ["effect", "chance", "low", "high", *(name for name in table if "difference" in name)]
    table.loc[here, numbers] = np.nan
    table.loc[here, ["verdict", "reason"]] = "not asked", "There is no separator."
    table.loc[here, ["learned", "language"]] = None
    assert of(table, "separators").number == "" and of(table, "separators").origin == ""
    assert of(table, "separators").under_usual_choice == "There is no separator."
    assert curve_table(table, "separators", MODEL).empty


def test_a_curve_has_every_combination_by_its_effect_and_the_controls_beside_it() -> None:
    table = made_up().sample(frac=1, random_state=1)
    curve = curve_table(table, "reach", MODEL, extension=True)
    assert curve["rank"].tolist() == list(range(1, 91))
    assert (
        curve["effect"].is_monotonic_increasing
        and len(curve.drop_duplicates(["measure", "share", "special", "unit", "layout"])) == 90
    )
    assert (curve["untrained"] == curve["effect"] - 4).all()
    assert curve["shuffled"].notna().equals(curve["layout"] == "plain")
    row = curve[(curve[list(USUAL)] == pd.Series(USUAL)).all(axis=1)]
    assert row["effect"].tolist() == [CHOICES.index(WindowChoice())]


def test_a_curve_of_attention_knows_no_pairs() -> None:
    curve = curve_table(made_up(), "separators", MODEL)
    assert curve.columns.tolist() == [
        "rank", "unit", "layout", "effect", "low", "high", "chance", "untrained", "permuted", "shuffled", "verdict",
    ]  # fmt: skip
    assert sorted(zip(curve["unit"], curve["layout"], strict=True)) == [
        ("tokens", "plain"), ("tokens", "separated"), ("words", "plain"), ("words", "separated"),
    ]  # fmt: skip


def test_twins_are_counted_where_they_are_fewest() -> None:
    table = made_up()
    assert twins_of(table) == 2
    permuted = table[(table["control"] == "untrained") & (table["seed"] == 0)].assign(control="permuted")
    assert twins_of(pd.concat([table, permuted])) == 1
    assert twins_of(pd.concat([table, table[table["control"] == "none"].assign(model="another")])) == 0
