"""What a training teaches, drawn: every row at every step, every layer."""

import pandas as pd

from attn_core.charts.learning import LEARNED, sureness_by_step
from attn_core.comparison.differences import OUTCOMES


def test_every_word_of_learning_has_a_colour() -> None:
    assert set(LEARNED) == {"learned", "not asked", *OUTCOMES[:-1]}


def test_layers_in_order_beside_an_even_guess() -> None:
    rows = [(step, layer, 10.0 - layer - step, 9.0, 8.0) for step in (0, 4) for layer in (0, 1)]
    table = pd.DataFrame(rows, columns=["step", "layer", "entropy", "cross_entropy", "chance_entropy"])
    said = sureness_by_step(table).to_dict()["description"]
    assert "At step 4 layer 0 has 6.0 bits, layer 1 5.0; an even guess has 8.0" in said
