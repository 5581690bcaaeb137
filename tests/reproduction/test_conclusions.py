"""What is concluded from the table of verdicts, claim by claim, and the table behind a specification curve."""

import numpy as np
import pandas as pd
import pytest

from attn_core.findings.bars import BARS
from attn_core.reproduction.choices import CHOICES, as_columns, readings
from attn_core.reproduction.conclusions import DEPENDS, Standing, curve_table, in_two_sentences, standings, twins_of
from attn_core.similarity.strong_pairs import Settings

MODEL = "org/tiny"
USUAL = as_columns(Settings(), "plain")


def made_up() -> pd.DataFrame:
    """Every combination of one model and its controls: the effect is its place among them, the verdict no clear sign."""
    rows = [
        {
            "corpus": "novels", "model": MODEL, "control": how.control or "none", "seed": how.seed, "claim": bars.claim,
            "effect_name": bars.effect, **as_columns(settings, how.shown_layout), "texts": 5, "units": 5, "over": "texts",
            "effect": float(place), "chance": 1.0, "low": place - 0.5, "high": place + 0.5, "verdict": "no clear sign",
            "reason": "It is small.",
        }
        for how in readings(("untrained", "shuffled"), 2)
        for place, settings in enumerate(CHOICES)
        for bars in BARS
    ]  # fmt: skip
    table = pd.DataFrame(rows).astype({"seed": "Int64"})
    own = table["control"] == "none"
    for name, outcome, there in (("twin", "learned", own), ("shuffle", "language", own & (table["layout"] == "plain"))):
        for bound, value in (("", 4.0), ("_low", 3.0), ("_high", 5.0)):
            table[f"{name}_difference{bound}"] = np.where(there, value, np.nan)
        table[outcome] = pd.Series("yes" if name == "twin" else "no", index=table.index).where(there, None)
    return table


def of(table: pd.DataFrame, claim: str, control: str = "none") -> Standing:
    (found,) = (one for one in standings(table) if (one.claim, one.control) == (claim, control))
    return found


def test_claims_of_a_model_come_before_those_of_its_controls() -> None:
    found = standings(made_up())
    assert [one.control for one in found] == ["none"] * 7 + ["untrained"] * 7 + ["shuffled"] * 7
    assert [one.claim for one in found[:7]] == [f"C{number}" for number in range(1, 8)]


def test_a_verdict_is_that_of_more_than_half_of_the_choices() -> None:
    table = made_up()
    ours = (table["claim"] == "C1") & (table["control"] == "none")
    first = table.index[ours]
    assert (of(table, "C1").verdict, of(table, "C1").how_many) == ("no clear sign", "90 of 90")
    table.loc[first[:45], "verdict"] = "as in the paper"
    assert (of(table, "C1").verdict, of(table, "C1").how_many) == (DEPENDS, "as in 45, unclear 45")
    table.loc[first[:46], "verdict"] = "as in the paper"
    assert (of(table, "C1").verdict, of(table, "C1").how_many) == ("as in the paper", "46 of 90")
    assert of(table, "C1").in_brief == (
        "As in the paper under 46 of 90 choices, no clear sign under 44 (it is small in 44); beyond the untrained twin under 90 "
        "of 90, beyond the shuffled text under 0 of 45."
    )


@pytest.mark.parametrize(("claim", "control", "combinations"), [
    ("C1", "none", 90), ("C6", "none", 4), ("C1", "untrained", 180), ("C1", "shuffled", 45), ("C6", "shuffled", 2),
    ("C4", "none", 90), ("C5", "shuffled", 45),
])  # fmt: skip
def test_choices_that_cannot_move_a_claim_and_second_effects_are_not_counted(
    claim: str, control: str, combinations: int
) -> None:
    assert of(made_up(), claim, control).combinations == combinations


def test_the_numbers_are_those_of_the_usual_choice() -> None:
    place = CHOICES.index(Settings())
    (effect,) = of(made_up(), "C7").effects
    assert (effect.value, effect.low, effect.high, effect.chance) == (place, place - 0.5, place + 0.5, 1)
    assert [one.bars.effect for one in of(made_up(), "C4").effects] == ["repeating", "gathering"]
    told = of(made_up(), "C7").under_usual_choice
    assert told.startswith(
        f"Under our usual choice {place:.2f} [{place - 0.5:.2f}, {place + 0.5:.2f}], by chance 1.00. Noise rate"
    )
    assert f"untrained twin {place - 4:.2f}, difference 4.00 [3.00, 5.00]" in told


def test_of_several_twins_the_mean_is_told_with_an_interval_that_holds_each_of_theirs() -> None:
    table, place = made_up(), CHOICES.index(Settings())
    second = table["seed"] == 1
    table.loc[second, ["effect", "low", "high"]] += 4
    (effect,) = of(table, "C7", "untrained").effects
    assert (effect.value, effect.low, effect.high) == (place + 2, place - 0.5, place + 4.5)


def test_learned_and_language_are_what_more_than_half_of_the_choices_say() -> None:
    table = made_up()
    assert of(table, "C1").origin == "learned"
    ours = table.index[(table["claim"] == "C1") & (table["control"] == "none")]
    table.loc[ours[:45], "learned"] = "no"
    assert of(table, "C1").origin == "open"
    table.loc[ours[:46], "learned"] = "no"
    assert of(table, "C1").origin == "neither"
    assert of(table, "C1", "untrained").origin == ""


def test_a_verdict_whose_bar_chance_or_the_twin_passes_is_told_to_show_no_learning() -> None:
    table = made_up()  # chance is 1.0: beyond the bar of C1, 60 %, not of C3, 1.25
    own = table["control"] == "none"
    for claim in ("C1", "C3"):
        table.loc[own & (table["claim"] == claim), "verdict"] = "as in the paper"
    assert of(table, "C1").caution == "Its bar is passed by chance (100 %) too: alone, this verdict shows no learning."
    assert of(table, "C3").caution == ""
    twins = table.index[(table["control"] == "untrained") & (table["claim"] == "C3")]
    table.loc[twins[:90], "verdict"] = "as in the paper"
    assert of(table, "C3").caution == "", "half of the twins' choices are not most of them"
    table.loc[twins[:91], "verdict"] = "as in the paper"
    told = "Its bar is passed by the untrained twin (91 of 180 choices) too: alone, this verdict shows no learning."
    assert of(table, "C3").caution == told
    (alone,) = (one for one in standings(table, ["none"]) if one.claim == "C3")
    assert alone.caution == told, "whether its controls are asked for or not"
    assert of(table, "C3", "untrained").caution == ""
    table.loc[own & (table["claim"] == "C3"), "verdict"] = "no clear sign"
    assert of(table, "C3").caution == "", "there is no verdict to warn of"


def test_two_sentences_say_which_claims_hold_and_why() -> None:
    table = made_up()
    table.loc[table["claim"] == "C2", "verdict"] = "as in the paper"
    table.loc[(table["claim"] == "C2") & (table["control"] == "none"), "learned"] = "no"
    first, second = in_two_sentences([one for one in standings(table) if one.control == "none"])
    assert first.startswith("Under most choices no clear sign: C1 Own matrices, C3 Sentences")
    assert first.endswith("; as in the paper: C2 Reach.")
    assert second.startswith(
        "Held against the untrained twin and the shuffled text, under most choices learned: C1 Own matrices"
    )
    assert second.endswith("; neither learned nor language: C2 Reach.")
    alone = table[table["control"] == "none"].assign(learned=None, language=None)
    assert in_two_sentences(standings(alone))[1] == ""


def test_a_claim_that_cannot_be_asked_has_a_reason_and_no_numbers() -> None:
    table = made_up()
    here = table["claim"] == "C6"
    numbers = ["effect", "chance", "low", "high", *(name for name in table if "difference" in name)]
    table.loc[here, numbers] = np.nan
    table.loc[here, ["verdict", "reason"]] = "not asked", "There is no separator."
    table.loc[here, ["learned", "language"]] = None
    assert of(table, "C6").numbers == "" and of(table, "C6").origin == ""
    assert of(table, "C6").under_usual_choice == "There is no separator."
    assert curve_table(table, "C6", "separators", MODEL).empty


def test_a_curve_has_every_combination_by_its_effect_and_the_controls_beside_it() -> None:
    table = made_up().sample(frac=1, random_state=1)
    curve = curve_table(table, "C2", "reach", MODEL)
    assert curve["rank"].tolist() == list(range(1, 91))
    assert (
        curve["effect"].is_monotonic_increasing
        and len(curve.drop_duplicates(["measure", "share", "special", "unit", "layout"])) == 90
    )
    assert (curve["twin"] == curve["effect"] - 4).all()
    assert curve["shuffle"].notna().equals(curve["layout"] == "plain")
    row = curve[(curve[list(USUAL)] == pd.Series(USUAL)).all(axis=1)]
    assert row["effect"].tolist() == [CHOICES.index(Settings())]


def test_a_curve_of_attention_knows_no_pairs() -> None:
    curve = curve_table(made_up(), "C6", "separators", MODEL)
    assert curve.columns.tolist() == [
        "rank", "unit", "layout", "effect", "low", "high", "chance", "twin", "shuffle", "verdict",
    ]  # fmt: skip
    assert sorted(zip(curve["unit"], curve["layout"], strict=True)) == [
        ("tokens", "plain"), ("tokens", "separated"), ("words", "plain"), ("words", "separated"),
    ]  # fmt: skip


def test_twins_are_counted_where_they_are_fewest() -> None:
    table = made_up()
    assert twins_of(table) == 2
    assert twins_of(pd.concat([table, table[table["control"] == "none"].assign(model="another")])) == 0
