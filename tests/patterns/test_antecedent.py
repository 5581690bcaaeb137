"""Whom a pronoun means, by heads that were chosen elsewhere."""

import numpy as np
import pytest

from attn_core.errors import InputError
from attn_core.models.records import LoadedModel
from attn_core.patterns.antecedent import known_heads, likely_antecedent
from attn_core.patterns.joined import Joined

TEXT = "Anna asked Robert for help, because she could not open the door."
NAMES = [(0, 4), (11, 17)]
PRONOUN = (TEXT.index("she"), TEXT.index("she") + 3)


def test_heads_of_minilm_know_she_from_he(minilm: LoadedModel) -> None:
    chosen, scores = likely_antecedent(TEXT, PRONOUN, NAMES, minilm)
    assert (chosen, scores.shape) == (0, (2,))
    other = TEXT.replace(" she ", " he  ")
    assert likely_antecedent(other, (PRONOUN[0], PRONOUN[0] + 2), NAMES, minilm)[0] == 1


def test_a_model_without_chosen_heads_is_told_how_to_choose(tiny_model) -> None:  # type: ignore[no-untyped-def]
    model = tiny_model("bert")
    with pytest.raises(InputError, match="score it on GAP"):
        known_heads(model)
    heads = Joined(("centred",), np.array([1]), np.array([0]), np.array([1.0]))
    assert likely_antecedent(TEXT, PRONOUN, NAMES, model, heads)[0] in (0, 1)
