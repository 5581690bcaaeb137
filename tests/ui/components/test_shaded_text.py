"""The shaded text: one colour for what lies above zero, in every text."""

from typing import Any

import numpy as np
import pytest

from attn_core.ui.components import shaded_text


@pytest.fixture
def ramps(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The colours that a text is shaded in, by its similarities."""
    sent: list[dict[str, Any]] = []
    monkeypatch.setattr(shaded_text, "packed", lambda header, *_: sent.append(header))
    monkeypatch.setattr(shaded_text, "_component", lambda **_: {})

    def of(*values: float) -> dict[str, list[list[str]]]:
        matrix = np.eye(3)
        matrix[np.triu_indices(3, 1)] = matrix.T[np.triu_indices(3, 1)] = values
        shaded_text.shaded_text(list("abc"), [" "] * 3, matrix, special=[False] * 3, start=0, key="k")
        return sent[-1]["ramps"]

    return of


@pytest.mark.parametrize("page", ["light", "dark"])
def test_values_above_zero_have_the_same_colours_whether_or_not_others_lie_below(ramps: Any, page: str) -> None:
    positive, mixed = ramps(0.1, 0.2, 0.3)[page], ramps(-0.1, 0.2, 0.3)[page]
    assert mixed[255] == positive[255]
    for at in (0.25, 0.5, 0.75):  # of the way from zero, in the middle of a mixed scale, to the largest value
        one, other = (
            bytes.fromhex(ramp[round(255 * part)][0][1:]) for ramp, part in ((positive, at), (mixed, (1 + at) / 2))
        )
        assert np.abs(np.array(list(one)) - list(other)).max() <= 3
    assert mixed[0] != mixed[255]


def test_a_text_of_values_below_zero_alone_is_not_shaded_as_if_they_were_above(ramps: Any) -> None:
    assert ramps(-0.1, -0.2, -0.3) == ramps(-0.1, 0.2, 0.3) != ramps(0.1, 0.2, 0.3)
