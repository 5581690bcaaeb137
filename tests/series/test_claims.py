"""Since when a row of the claims is learned, and how it is shown."""

import numpy as np
import pandas as pd
from attn_core.series.gathered import claim_cells, has_twins, learned_table

from tests.series.made_up import claims


def test_a_row_is_learned_since_the_step_after_which_it_always_is() -> None:
    words = {
        "reach": ["learned", "open", "learned", "learned"],
        "noise": ["open", "open", "open", "learned"],
        "own_pairs": ["learned", "learned", "learned", "the other way"],
        "sentences": ["learned"] * 4,
    }
    since = learned_table(claims(words, steps=(0, 10, 20, 40))).set_index("effect")["since_step"]
    assert since.drop("own_pairs").to_dict() == {"reach": 20, "noise": 40, "sentences": 0}
    assert np.isnan(since["own_pairs"])


def test_a_cell_has_the_number_in_the_units_of_its_row() -> None:
    cells = claim_cells(claims({"reach": ["learned"], "late_sentences": ["open"], "repeating": ["open"]}, value=0.125))
    assert cells["short"].tolist() == ["+12.5", "0.12", "12.5"]
    assert cells["name"].tolist() == ["C2 Shorter at the end, %", "C3 Same sentence, times", "C4 Repetition heads, %"]
    assert cells["told"][0] == "+12.5% [+2.5, +22.5], untrained twin 0%, permuted twin +5%"


def test_a_row_that_cannot_be_asked_has_no_number() -> None:
    cells = claim_cells(claims({"reach": ["not asked"]}, value=np.nan))
    assert cells[["short", "number", "told"]].iloc[0].tolist() == ["", "", ""]


def test_without_twins_nothing_is_asked_of_learning() -> None:
    rows: pd.DataFrame = claims({"reach": ["not asked"], "noise": ["not asked"]})
    assert not has_twins(rows)
    assert has_twins(claims({"reach": ["not asked"], "noise": ["open"]}))
