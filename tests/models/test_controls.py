"""The controls: a model that learned nothing, and a text that is no language."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from attn_core.__main__ import main
from attn_core.analysis.one_text import analyze
from attn_core.analysis.unrelated import read_samples
from attn_core.errors import InputError
from attn_core.models.controls import CONTROLS, control_of, controlled
from attn_core.models.files import ModelSpec
from attn_core.models.loading import load
from attn_core.models.records import LoadedModel
from attn_core.texts.documents import read_document
from attn_core.texts.passages import read_passages
from tests.families import TEXT


def weights(model: LoadedModel) -> torch.Tensor:
    return torch.cat([tensor.flatten() for tensor in model.network.parameters()])


@pytest.mark.parametrize("family", ["bert", "albert", "gpt2", "t5", "deberta"])
def test_a_twin_has_the_model_s_shape_and_weights_of_its_own(family: str, tiny_folder: Callable[[str], Path]) -> None:
    spec = ModelSpec(str(tiny_folder(family)))
    model, twin = load(spec), load(replace(spec, untrained=0))
    assert (twin.layers, twin.heads, twin.max_tokens, twin.causal) == (
        model.layers, model.heads, model.max_tokens, model.causal,
    )  # fmt: skip
    assert twin.tokenizer(TEXT)["input_ids"] == model.tokenizer(TEXT)["input_ids"]
    assert [p.shape for p in twin.network.parameters()] == [p.shape for p in model.network.parameters()]
    assert not torch.equal(weights(twin), weights(model))
    assert twin.revision != model.revision
    assert twin.check is not None


def test_a_twin_s_seed_draws_its_weights_and_nothing_else(tiny_folder: Callable[[str], Path]) -> None:
    spec = ModelSpec(str(tiny_folder("bert")), untrained=3)
    torch.manual_seed(11)
    state = torch.random.get_rng_state()
    first, again, other = load(spec), load(spec), load(replace(spec, untrained=4))
    assert torch.equal(torch.random.get_rng_state(), state)
    assert torch.equal(weights(first), weights(again))
    assert not torch.equal(weights(first), weights(other))


def test_the_packaged_model_has_a_twin_that_is_named_in_its_tables() -> None:
    spec = ModelSpec(untrained=0)
    analysis = analyze("The tide rose, and the boats rose with it.", spec)
    assert analysis.provenance["model"] == "sentence-transformers/all-MiniLM-L6-v2, untrained twin (seed 0)"
    assert analysis.provenance["revision"].endswith("+untrained-0")


def test_a_shuffled_window_has_the_same_tokens_in_another_order(tiny_model: Callable[[str], LoadedModel]) -> None:
    model, document = tiny_model("bert"), read_document(TEXT * 3)
    plain, shuffled, again = (
        read_passages(document, model.tokenizer, 64, layout) for layout in ("plain", "shuffled", "shuffled")
    )
    assert len(plain) == len(shuffled) > 2
    for one, other, same in zip(plain, shuffled, again, strict=True):
        assert sorted(other.token_ids) == sorted(one.token_ids)
        assert (other.token_ids != one.token_ids).sum() > len(one) / 2
        assert other.token_ids.tolist() == same.token_ids.tolist()
        np.testing.assert_array_equal(other.sentences, one.sentences)  # places keep them
        np.testing.assert_array_equal(other.is_special, one.is_special)
        assert other.is_separator.sum() == one.is_separator.sum()
        where = dict(zip(one.starts.tolist(), zip(one.tokens, one.ends, one.pretokens, strict=True), strict=True))
        for start, *known in zip(other.starts.tolist(), other.tokens, other.ends, other.pretokens, strict=True):
            assert start < 0 or tuple(known) == where[start]  # a token keeps its place in the text
    assert shuffled[0].token_ids.tolist() != shuffled[1].token_ids.tolist()


@pytest.mark.parametrize("control", [None, *CONTROLS])
def test_a_control_is_known_by_what_it_makes_of_model_and_layout(control: str | None) -> None:
    assert control_of(*controlled(control, ModelSpec("a/model"), "plain")) == control  # type: ignore[arg-type]


def test_the_text_that_noise_is_held_against_is_shuffled_too_and_the_pages_say_so(tiny_model) -> None:
    model = tiny_model("bert")
    of = read_document("A text.")
    plain, shuffled = (read_samples(model, of, layout)[0].passage for layout in ("plain", "shuffled"))
    assert sorted(plain.token_ids) == sorted(shuffled.token_ids)
    assert plain.token_ids.tolist() != shuffled.token_ids.tolist()
    pages = Path(__file__).parents[2] / "pages"
    for page, says in (("3_Specialization.py", "both are shuffled"), ("7_Compare.py", "is shuffled too")):
        assert says in (pages / page).read_text(encoding="utf-8")


def test_a_shuffled_text_is_not_separated() -> None:
    with pytest.raises(InputError, match="no sentences to separate"):
        controlled("shuffled", ModelSpec(), "separated")


@pytest.mark.parametrize(
    ("control", "model", "layout"),
    [("untrained", "untrained twin (seed 0)", "plain"), ("shuffled", "bert", "shuffled")],
)
def test_tables_of_a_control_say_so(
    control: str, model: str, layout: str, tiny_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    (tmp_path / "text.txt").write_text(TEXT)
    folder = str(tiny_folder("bert"))
    command = ["analyze", str(tmp_path / "text.txt"), "--out", str(tmp_path / "out"), "--model", folder]
    assert main([*command, "--control", control]) == 0
    told = json.loads((tmp_path / "out" / "provenance.json").read_text())
    assert told["model"].endswith(model)
    assert told["layout"] == layout


def test_a_text_is_segmented_under_the_control_that_makes_sense_there(
    tiny_folder: Callable[[str], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "text.txt").write_text(TEXT * 3)
    command = ["segment", str(tmp_path / "text.txt"), "--model", str(tiny_folder("bert")), "--format", "csv"]
    assert main([*command, "--control", "untrained", "--segments", "2"]) == 0
    assert "untrained twin (seed 0)" in capsys.readouterr().out
    assert main([*command, "--control", "shuffled"]) != 0
    assert "invalid choice: 'shuffled'" in capsys.readouterr().err
