"""What the real model that the project installs says about the first sample text, written down.

The numbers were found once (torch 2.13, CPU) and are no truth in themselves: they tell when something changes that
nobody meant to change. Other processors and libraries add in another order and may swap pairs at the threshold of the
strongest 1 %, so distances may differ by half a token (over 1,121 pairs a head) and shares by half a percentage point.
"""

import pytest

import attn_core
from attn_core.analysis.one_text import Analysis
from attn_core.models.records import LoadedModel
from attn_core.texts.documents import samples

pytestmark = pytest.mark.model
DISTANCE, SHARE = 0.5, 0.005

LAYERS = {
    "mean_distance": ([125.2, 98.3, 93.5, 75.7, 90.9, 119.8], DISTANCE),
    "same_sentence_share": ([0.066, 0.191, 0.240, 0.295, 0.168, 0.076], SHARE),
    "repetition_share": ([0.250, 0.108, 0.185, 0.136, 0.108, 0.012], SHARE),
    "separator_attention": ([0.058, 0.066, 0.076, 0.109, 0.114, 0.068], SHARE),
}
CHANCE = {"chance_mean_distance": 475 / 3, "chance_same_sentence_share": 0.0399, "chance_separator_attention": 26 / 474}
ANCHORS = {  # layer and head: anchor, coverage, role
    (1, 1): ("and", 0.771, "anchor"),
    (1, 9): ("the", 1.000, "anchor"),
    (3, 6): ("the", 0.847, "anchor"),
    (5, 6): (".", 0.831, "separators"),
    (6, 12): ("moon", 0.416, "anchor"),
}


@pytest.fixture(scope="module")
def analysis(minilm: LoadedModel) -> Analysis:
    (sample,) = (sample for sample in samples() if sample.file == "three_topics.txt")
    return attn_core.analyze(sample.text, minilm)


def test_the_text_is_one_window_of_474_tokens_with_1121_strong_pairs_a_head(analysis: Analysis) -> None:
    assert (len(analysis.windows), len(analysis.tokens)) == (1, 474)
    assert (analysis.heads["pairs"] == 1121).all()


@pytest.mark.parametrize("column", LAYERS)
def test_the_layers_give_the_numbers_they_gave(column: str, analysis: Analysis) -> None:
    numbers, tolerance = LAYERS[column]
    assert analysis.layers[column].tolist() == pytest.approx(numbers, abs=tolerance)


@pytest.mark.parametrize("column", CHANCE)
def test_the_chance_levels_are_those_of_the_text(column: str, analysis: Analysis) -> None:
    assert analysis.layers[column].tolist() == pytest.approx([CHANCE[column]] * 6, abs=1e-4)


@pytest.mark.parametrize("head", ANCHORS, ids=lambda head: f"L{head[0]}H{head[1]}")
def test_heads_have_the_anchors_they_had(head: tuple[int, int], analysis: Analysis) -> None:
    anchor, coverage, role = ANCHORS[head]
    row = analysis.heads.set_index(["layer", "head"]).loc[head]
    assert (row["anchor"], row["role"]) == (anchor, role)
    assert row["anchor_coverage"] == pytest.approx(coverage, abs=2 * SHARE)


def test_the_model_reaches_less_far_towards_the_middle_and_turns_back_in_its_last_layer(analysis: Analysis) -> None:
    """Claim C2 shows, and fine-tuning for sentence embeddings breaks it in the end."""
    distance = analysis.layers["mean_distance"]
    assert distance.idxmin() == 3
    assert distance[3] < 0.65 * distance[0] < distance[5]
