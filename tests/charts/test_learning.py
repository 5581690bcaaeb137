"""What a training teaches, drawn: every row at every step, every layer."""

import pandas as pd

from attn_core.charts.learning import LEARNED, learned_by_step, sureness_by_step
from attn_core.comparison.differences import OUTCOMES
from attn_core.series.gathered import claim_cells
from tests.series.made_up import claims


def test_every_word_of_learning_has_a_colour() -> None:
    assert set(LEARNED) == {"learned", "not asked", *OUTCOMES[:-1]}


def test_a_cell_a_row_and_step() -> None:
    cells = claim_cells(claims({"reach": ["open", "learned"], "noise": ["open", "open"]}, steps=(0, 8)))
    chart = learned_by_step(cells).to_dict()
    (data,) = chart["datasets"].values()
    assert [(row["step"], row["name"][:2], row["short"]) for row in data] == [
        (0, "C2", "+10"),
        (0, "C7", "0.10"),
        (8, "C2", "+10"),
        (8, "C7", "0.10"),
    ]
    assert "At the last C2 Shorter at the end, %: learned; " in chart["description"]


def test_layers_in_order_beside_an_even_guess() -> None:
    rows = [(step, layer, 10.0 - layer - step, 9.0, 8.0) for step in (0, 4) for layer in (0, 1)]
    table = pd.DataFrame(rows, columns=["step", "layer", "entropy", "cross_entropy", "chance_entropy"])
    said = sureness_by_step(table).to_dict()["description"]
    assert "At step 4 layer 0 has 6.0 bits, layer 1 5.0; an even guess has 8.0" in said
