"""Loading: every family, every form of a published checkpoint, every way that a folder can be broken."""

import json
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers as hf
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from tokenizers.processors import TemplateProcessing

from attn_core.errors import ModelError
from attn_core.models.capture import capture
from attn_core.models.files import WEIGHTS, ModelSpec
from attn_core.models.loading import load
from attn_core.models.records import LoadedModel
from attn_core.models.self_check import probe
from attn_core.texts.documents import read_document
from attn_core.texts.passages import Passage, read_passages
from tests.families import (
    DECODER,
    ENCODER,
    ENCODER_DECODERS,
    REFUSED,
    SERVED,
    TEXT,
    network,
    save_network,
    save_tiny,
    save_tokenizer,
)

Tiny = Callable[[str], LoadedModel]
VISION = ENCODER | {"image_size": 28, "patch_size": 14}


def refusal(spec: ModelSpec | Path | str) -> str:
    """The sentence with which a model is refused."""
    with pytest.raises(ModelError) as caught:
        load(spec if isinstance(spec, ModelSpec) else ModelSpec(str(spec)))
    message = str(caught.value)
    assert message.endswith(".") and "\n" not in message and len(message) < 500
    return message


# Families


@pytest.mark.parametrize("family", SERVED)
def test_a_family_is_served_and_proves_it(family: str, tiny_model: Tiny) -> None:
    model, expected = tiny_model(family), SERVED[family]
    assert model.check.captures == (model.layers, model.heads, 8) == (3, 4, 8)
    assert model.check.projection_error < 1e-5
    assert model.check.output_error < 2e-5
    assert model.causal == expected.causal
    assert model.max_tokens == expected.window
    assert model.network.config.model_type == expected.config().model_type
    assert not model.network.training and not model.no_padding
    with torch.inference_mode():  # the longest window runs
        model.network(input_ids=torch.full((1, model.max_tokens), probe(model)[1]))


@pytest.mark.parametrize("family", REFUSED)
def test_a_family_that_cannot_be_served_is_refused_with_the_reason(family: str, tmp_path: Path) -> None:
    tiny, reason = REFUSED[family]
    assert reason in refusal(save_tiny(tmp_path / family, tiny))


# What a checkpoint may look like


def rewrite(folder: Path, change: Callable[[str, torch.Tensor], tuple[str, torch.Tensor]]) -> None:
    tensors = dict(change(name, tensor) for name, tensor in load_file(folder / WEIGHTS).items())
    save_file(tensors, folder / WEIGHTS, metadata={"format": "pt"})


def same_outputs(folder: Path, expected: LoadedModel, read: Callable[[LoadedModel, str], Passage]) -> None:
    again = load(ModelSpec(str(folder)))
    assert all(parameter.dtype == torch.float32 for parameter in again.network.parameters())
    passage = read(expected, "The tide rose and covered the old pier.")
    torch.testing.assert_close(capture(again, [passage])[0].z, capture(expected, [passage])[0].z, rtol=0, atol=5e-3)


def test_sharded_weights(tiny_bert_folder: Path, tiny_model: Tiny, read: Any) -> None:
    (tiny_bert_folder / WEIGHTS).unlink()
    network(SERVED["bert"].config()).save_pretrained(tiny_bert_folder, max_shard_size="40KB")
    shards = sorted(tiny_bert_folder.glob("model-*.safetensors"))
    assert len(shards) > 1
    same_outputs(tiny_bert_folder, tiny_model("bert"), read)
    shards[1].unlink()
    assert f"{shards[1].name} of {tiny_bert_folder} cannot be read (it is missing)" in refusal(tiny_bert_folder)
    (tiny_bert_folder / "model.safetensors.index.json").write_text("{")
    assert "model.safetensors.index.json" in refusal(tiny_bert_folder)


def of_a_language_model(folder: Path) -> None:
    whole = hf.BertForMaskedLM(SERVED["bert"].config())
    whole.bert.load_state_dict(load_file(folder / WEIGHTS), strict=False)
    whole.save_pretrained(folder)
    assert any(name.startswith("bert.") for name in load_file(folder / WEIGHTS))


def with_more(folder: Path, prefix: str = "", more: dict[str, torch.Tensor] | None = None, no: str = "pooler") -> None:
    tensors = {prefix + name: tensor for name, tensor in load_file(folder / WEIGHTS).items() if no not in name}
    save_file(tensors | (more or {}), folder / WEIGHTS, metadata={"format": "pt"})


PUBLISHED: dict[str, Callable[[Path], Any]] = {
    "with a head and a prefix": of_a_language_model,
    "without a pooler": with_more,
    "with the position ids of old versions": lambda f: with_more(
        f, "", {"embeddings.position_ids": torch.arange(96)[None]}
    ),
    "with layers of its own": lambda f: with_more(
        f, "bert.", {f"{own}.weight": torch.ones(2, 32) for own in ("fc", "mlp.dense", "Linear")}
    ),
    "asking for no dictionary": lambda f: config_of(f, return_dict=False),
    "asking for maps": lambda f: config_of(f, output_attentions=True),
    "asking for states": lambda f: config_of(f, output_hidden_states=True),
    "asking for a way of attending": lambda f: config_of(f, _attn_implementation="flash_attention_2"),
    "in half precision": lambda f: rewrite(f, lambda name, tensor: (name, tensor.to(torch.float16))),
    "asking for half precision": lambda f: config_of(f, dtype="bfloat16"),
    "asking for other weights": lambda f: config_of(f, transformers_weights="other.safetensors"),
}


@pytest.mark.parametrize("how", PUBLISHED)
def test_the_numbers_are_those_of_the_base_model_however_it_was_published(
    how: str, tiny_bert_folder: Path, tiny_model: Tiny, read: Any
) -> None:
    PUBLISHED[how](tiny_bert_folder)
    same_outputs(tiny_bert_folder, tiny_model("bert"), read)


@pytest.mark.parametrize("family", ["marian", "pegasus"])
def test_positions_that_were_not_saved_are_computed(family: str, tmp_path: Path, read: Any) -> None:
    made: Any = network(ENCODER_DECODERS[family].config())
    with torch.no_grad():
        for part in (made.encoder, made.decoder):
            part.embed_positions.weight.copy_(part.embed_positions.create_weight())
    whole = save_network(tmp_path / "whole", made)
    save_tokenizer(whole, "ending")
    expected = load(ModelSpec(str(whole)))
    folder = shutil.copytree(whole, tmp_path / "without")
    with_more(folder, no="embed_positions")
    assert len(load_file(folder / WEIGHTS)) < len(load_file(whole / WEIGHTS))
    same_outputs(folder, expected, read)


TEXT_AND_MORE: dict[str, Callable[[], Any]] = {
    "gemma3": lambda: hf.Gemma3Config(
        text_config=DECODER | {"head_dim": 8, "sliding_window": 8}, vision_config=VISION, mm_tokens_per_image=4
    ),
    "llava": lambda: hf.LlavaConfig(
        text_config=DECODER | {"model_type": "llama"}, vision_config=VISION | {"model_type": "clip_vision_model"}
    ),
    "clip": lambda: hf.CLIPConfig(text_config=ENCODER, vision_config=VISION),
}


@pytest.mark.parametrize("family", TEXT_AND_MORE)
def test_of_a_model_of_images_and_text_the_text_part_is_read(family: str, tmp_path: Path, read: Any) -> None:
    """It is compared with the text part as a model of its own, saved by transformers."""
    whole = network(TEXT_AND_MORE[family]())
    for folder, part in ((tmp_path / "whole", whole), (tmp_path / "part", whole.get_decoder())):
        save_tokenizer(save_network(folder, part), "bytes")
    expected, found = (load(ModelSpec(str(tmp_path / name))) for name in ("part", "whole"))
    assert (found.layers, found.heads, found.longest, found.causal) == (3, 4, 96, True)
    same_outputs(tmp_path / "whole", expected, read)


@pytest.mark.parametrize("types", [(0, 0, 0), (0, 1, 1), (2, 0, 0), (0, 1, 2)])
@pytest.mark.parametrize("family", ["bert", "deberta"])
def test_token_types_are_those_that_the_tokenizer_gives(family: str, types: Any, tmp_path: Path, read: Any) -> None:
    made = network(type(SERVED[family].config())(**ENCODER, type_vocab_size=3))
    save_tokenizer(save_network(tmp_path, made), "wordpiece", model_input_names=["input_ids", "token_type_ids"])
    file, (first, text, last) = tmp_path / "tokenizer.json", types
    template = Tokenizer.from_file(str(file))
    template.post_processor = TemplateProcessing(
        single=f"[CLS]:{first} $A:{text} [SEP]:{last}",
        special_tokens=[(name, template.token_to_id(name)) for name in ("[CLS]", "[SEP]")],
    )
    template.save(str(file))
    model, plain = load(ModelSpec(str(tmp_path))), hf.AutoModel.from_pretrained(tmp_path, attn_implementation="eager")
    seen: list[torch.Tensor] = []
    for name, module in plain.named_modules():
        if name.endswith("attention.output.dense"):
            module.register_forward_pre_hook(lambda _module, given: seen.append(given[0].detach()))
    texts = [TEXT[:60], TEXT[:140]]
    for text, output in zip(texts, capture(model, [read(model, text) for text in texts]), strict=True):
        seen.clear()
        plain(**hf.AutoTokenizer.from_pretrained(tmp_path)(text, return_tensors="pt"))
        z = torch.stack(seen)[:, 0].unflatten(-1, (4, 8)).transpose(1, 2)
        torch.testing.assert_close(output.z, z, rtol=1e-4, atol=5e-5)


@pytest.mark.parametrize(("positions", "allowed", "reads"), [(600, None, 512), (600, 20, 20), (40, 512, 40)])
def test_the_window_is_what_positions_and_tokenizer_allow(
    positions: int, allowed: int, reads: int, tmp_path: Path
) -> None:
    save_network(tmp_path, network(hf.BertConfig(**ENCODER | {"max_position_embeddings": positions})))
    save_tokenizer(tmp_path, "wordpiece", **({"model_max_length": allowed} if allowed else {}))
    assert load(ModelSpec(str(tmp_path))).max_tokens == reads


def test_a_padding_token_may_be_missing_or_lie_beyond_the_embedding(tmp_path: Path, read: Any) -> None:
    model = load(ModelSpec(str(save_tiny(tmp_path, SERVED["llama"], pad_token=None))))
    short, long = read(model, "The tide."), read(model, "The tide rose and covered the old pier.")
    together, alone = capture(model, [short, long])[0], capture(model, [short])[0]
    torch.testing.assert_close(together.z, alone.z, rtol=1e-4, atol=2e-5)
    tokenizer = hf.AutoTokenizer.from_pretrained(tmp_path)
    tokenizer.add_tokens([f"<new{i}>" for i in range(512)])
    tokenizer.add_special_tokens({"pad_token": "<beyond>"})
    tokenizer.save_pretrained(tmp_path)
    beyond = load(ModelSpec(str(tmp_path)))
    assert torch.equal(capture(beyond, [short, long])[0].z, together.z)
    with pytest.raises(ModelError, match="has a token that .* does not know"):
        capture(beyond, [read(beyond, "The <new511> tide.")])


# What a folder may lack


def config_of(folder: Path, **changes: Any) -> None:
    config = json.loads((folder / "config.json").read_text()) | changes
    kept = {name: value for name, value in config.items() if value is not None}
    (folder / "config.json").write_text(json.dumps(kept))


def pickled(folder: Path) -> None:
    torch.save(load_file(folder / WEIGHTS), folder / "pytorch_model.bin")
    (folder / WEIGHTS).unlink()


def short_vocabulary(folder: Path) -> None:
    save_network(folder, network(hf.BertConfig(**ENCODER | {"vocab_size": 100})))


def not_a_number(folder: Path) -> None:
    rewrite(folder, lambda name, tensor: (name, tensor * (float("nan") if "layer.1.attention" in name else 1)))


def growing(folder: Path) -> None:
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    twice = {"type": "Replace", "pattern": {"String": "a"}, "content": "aa"}
    tokenizer["normalizer"] = {"type": "Sequence", "normalizers": [tokenizer["normalizer"], *[twice] * 6]}
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))


BROKEN: dict[str, tuple[Callable[[Path], Any], str]] = {
    "no weights": (lambda f: (f / WEIGHTS).unlink(), "has no weights"),
    "pickle only": (pickled, "has pickled weights only, which can run code"),
    "header broken": (lambda f: (f / WEIGHTS).write_bytes(b"x" * 5000), "cannot be read ("),
    "weights that miss a layer": (lambda f: with_more(f, no="layer.1."), "16 missing, 0 of another shape"),
    "weights of another shape": (lambda f: config_of(f, hidden_size=64), "0 missing, 52 of another shape"),
    "weights of another family": (lambda f: config_of(f, model_type="distilbert"), "do not belong to its config.json"),
    "NaN in the weights": (not_a_number, "not finite numbers (NaN)"),
    "no config": (lambda f: (f / "config.json").unlink(), "has no config.json"),
    "config is garbage": (lambda f: (f / "config.json").write_text("{no"), "its config.json cannot be read"),
    "no architecture": (lambda f: config_of(f, model_type=None), "names no family: add it, such as \"model_type\""),
    "unknown architecture": (lambda f: config_of(f, model_type="quark"), "model type `quark`"),
    "remote code": (
        lambda f: config_of(f, model_type="quark", auto_map={"AutoConfig": "c.C", "AutoModel": "m.M"}),
        "code of its own, which is never run here",
    ),
    "heads that do not divide": (lambda f: config_of(f, num_attention_heads=5), "not a multiple of the number"),
    "fewer layers": (lambda f: config_of(f, num_hidden_layers=2), "16 without a place"),
    "no tokenizer": (lambda f: [*map(Path.unlink, f.glob("tokenizer*.json"))], "has no tokenizer"),
    "tokenizer is garbage": (lambda f: (f / "tokenizer.json").write_text("{"), "its tokenizer cannot be read"),
    "a tokenizer that makes texts long": (growing, "makes a text over 32 times as long"),
    "an adapter": (lambda f: (f / "adapter_config.json").write_text("{}"), "has an adapter (adapter_config.json)"),
    "names of weights that begin otherwise": (
        lambda f: rewrite(f, lambda name, tensor: (f"module.{name}", tensor)), "names of weights that it was saved with"
    ),
    "more tokens than embeddings": (short_vocabulary, "tokens that the model does not know"),
}  # fmt: skip


def test_a_folder_of_models_names_those_inside(tiny_bert_folder: Path, tmp_path: Path) -> None:
    for name in ("checkpoint-1000", "checkpoint-200", "0_Transformer", "runs"):
        (tmp_path / "outer" / name).mkdir(parents=True)
    for inside in sorted((tmp_path / "outer").iterdir())[:-1]:
        shutil.copytree(tiny_bert_folder, inside, dirs_exist_ok=True)
    says = "has no weights itself: name a folder inside that has them (0_Transformer, checkpoint-200, checkpoint-1000)"
    message = refusal(tmp_path / "outer")
    assert says in message and f"such as {tmp_path / 'outer' / '0_Transformer'};" in message


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_folder_is_refused_in_one_sentence(fault: str, tiny_bert_folder: Path) -> None:
    damage, says = BROKEN[fault]
    damage(tiny_bert_folder)
    message = refusal(tiny_bert_folder)
    assert says in message and str(tiny_bert_folder) in message


def test_remote_code_is_never_run_even_beside_a_known_architecture(tiny_bert_folder: Path) -> None:
    (tiny_bert_folder / "m.py").write_text("raise SystemExit('remote code ran')")
    config_of(tiny_bert_folder, auto_map={"AutoConfig": "m.C", "AutoModel": "m.M"})
    assert load(ModelSpec(str(tiny_bert_folder))).network.config.model_type == "bert"


def test_threads_may_load_different_models_at_once(tiny_folder: Callable[[str], Path]) -> None:
    families = ["bert", "gpt2", "t5", "llama"]
    with ThreadPoolExecutor() as threads:
        loaded = threads.map(lambda family: load(ModelSpec(str(tiny_folder(family)))), families)
    assert [model.network.config.model_type for model in loaded] == families


def test_a_tokenizer_is_the_same_before_and_after_a_text_is_read(minilm: LoadedModel) -> None:
    """Runs compare it between their workers; the file of the real model asks for truncation and padding."""
    fresh = load(ModelSpec()).tokenizer.backend_tokenizer.to_str()
    read_passages(read_document(TEXT), minilm.tokenizer, minilm.max_tokens)
    assert minilm.tokenizer.backend_tokenizer.to_str() == fresh
