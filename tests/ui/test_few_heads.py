"""Pages of models that have hardly a head, or that cannot read the text."""

import json
from pathlib import Path

import pytest
import transformers as hf

from tests.families import ENCODER, network, save_network, save_tokenizer
from tests.ui.pages import healthy, opened, settled


@pytest.fixture
def few(tmp_path: Path, request: pytest.FixtureRequest) -> str:
    layers, heads = request.param
    config = ENCODER | {"num_hidden_layers": layers, "num_attention_heads": heads}
    save_network(tmp_path, network(hf.BertConfig(**config)))
    return str(save_tokenizer(tmp_path, "wordpiece"))


@pytest.mark.parametrize("few", [(1, 1), (1, 2), (2, 1)], indirect=True, ids=str)
def test_a_model_of_one_or_two_heads_is_shown_on_interventions(few: str) -> None:
    assert healthy(settled(opened("pages/7_Interventions.py", model=few, text="A refrain")))


def test_a_tokenizer_that_panics_is_said_to_fail_on_the_page(tiny_bert_folder: Path) -> None:
    file = tiny_bert_folder / "tokenizer.json"
    runaway = {"type": "Split", "pattern": {"Regex": "([a-z]+ ?)+[#%]"}, "behavior": "Isolated", "invert": False}
    file.write_text(json.dumps(json.loads(file.read_text()) | {"pre_tokenizer": runaway}))
    app = settled(opened("pages/1_Heads.py", model=str(tiny_bert_folder)))
    assert not app.exception
    assert any("The tokenizer of this model cannot read this text" in warning.value for warning in app.warning)
