"""Segments as strips and scores over the gaps: whole sentences from 1 on their axes."""

import pandas as pd
import pytest

from attn_core.charts.segments import segment_strips


def ticks(chart) -> list[int]:
    return chart.to_dict()["layer"][0]["encoding"]["x"]["axis"]["values"]


@pytest.mark.parametrize(("last", "expected"), [(3, [1, 2, 3]), (12, [*range(1, 13)]), (50, [1, *range(5, 51, 5)])])
def test_an_axis_of_sentences_has_whole_ones_from_1(last: int, expected: list[int]) -> None:
    strips = pd.DataFrame(
        {"name": "one", "segment": [1, 2], "first_sentence": [1, 2], "last_sentence": [1, last], "preview": ""}
    )
    assert ticks(segment_strips(strips)) == expected
