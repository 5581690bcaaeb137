"""A page of models that have hardly a head."""

from pathlib import Path

import pytest
import transformers as hf

from tests.families import ENCODER, network, save_network, save_tokenizer
from tests.ui.pages import healthy, opened


@pytest.fixture
def few(tmp_path: Path, request: pytest.FixtureRequest) -> str:
    layers, heads = request.param
    config = ENCODER | {"num_hidden_layers": layers, "num_attention_heads": heads}
    save_network(tmp_path, network(hf.BertConfig(**config)))
    return str(save_tokenizer(tmp_path, "wordpiece"))


@pytest.mark.parametrize("few", [(1, 1), (1, 2), (2, 1)], indirect=True, ids=str)
def test_a_model_of_one_or_two_heads_is_shown_on_interventions(few: str) -> None:
    assert healthy(opened("pages/7_Interventions.py", model=few, text="A refrain"))
