"""Tiny random models of every family, saved the way a publisher would save them: config, safetensors, fast tokenizer.

The weights are drawn wide (and biases away from 0), so that heads attend sharply and a wrong scale, mask or bias shows.
"""

from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers as hf
from torch import nn

from attn_core.models.files import Stack
from attn_core.models.records import LoadedModel
from attn_core.texts.passages import Passage
from tests.quick import quick_only
from tests.tiny_tokenizers import MASK, SPECIAL, TokenizerKind, trained

TEXT = (
    "The tide rose and covered the old pier. Every boat in the harbour rose with it! Who tied them so short? "
    "Nobody knew, and nobody asked. The rope was wet; the rope was old; the rope held. Some say the sea remembers "
    "what the land forgets. A café by the pier sells tea, and the tea is cold by noon."
)
IN_SHORT = "The tide rose and covered the old pier. Who tied them so short? Nobody knew, and the tea is cold by noon."
VOCABULARY = 512
SMALL = {"vocab_size": VOCABULARY, "hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4}
ENCODER = SMALL | {"intermediate_size": 48, "max_position_embeddings": 96}
DECODER = ENCODER | {"num_key_value_heads": 2, "pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 3}

Tiny = Callable[[str], LoadedModel]
Folder = Callable[[str], Path]
Stacks = Callable[[str, Stack], LoadedModel]
Read = Callable[[LoadedModel, str], Passage]


@dataclass(frozen=True)
class Family:
    """How to make a tiny model: class and options of its configuration, its kind of tokenizer, whether it is causal."""

    kind: Any
    options: dict[str, Any] = field(default_factory=lambda: ENCODER)
    tokenizer: TokenizerKind = "wordpiece"
    causal: bool = False
    window: int = 96

    def config(self) -> Any:
        return self.kind(**deepcopy(self.options))


def _roberta(kind: type, options: dict[str, Any] = ENCODER) -> Family:
    """These count positions from the padding index on: two of their positions serve no token."""
    return Family(kind, options | {"pad_token_id": 1, "bos_token_id": 2, "eos_token_id": 3}, "bytes", window=94)


def _causal(kind: type, options: dict[str, Any], window: int = 96) -> Family:
    return Family(kind, options, "bytes", causal=True, window=window)


T5: dict[str, Any] = {
    "vocab_size": VOCABULARY, "d_model": 32, "d_kv": 8, "d_ff": 48, "num_heads": 4, "num_layers": 3,
}  # fmt: skip
BART: dict[str, Any] = {
    "vocab_size": VOCABULARY, "max_position_embeddings": 96, "d_model": 32, "encoder_layers": 3,
    "encoder_attention_heads": 4,
    "encoder_ffn_dim": 48, "decoder_layers": 2, "decoder_attention_heads": 2, "decoder_ffn_dim": 48,
}  # fmt: skip
GPT: dict[str, Any] = {"vocab_size": VOCABULARY, "n_positions": 96, "n_embd": 32, "n_layer": 3, "n_head": 4}
XLM: dict[str, Any] = {
    "vocab_size": VOCABULARY, "max_position_embeddings": 96, "emb_dim": 32, "n_layers": 3, "n_heads": 4
}  # fmt: skip
MODERN = ENCODER | {
    "pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 3, "cls_token_id": 2, "sep_token_id": 3,
    "local_attention": 8, "global_attn_every_n_layers": 2,
}  # fmt: skip
GEMMA = DECODER | {
    "head_dim": 8, "query_pre_attn_scalar": 5, "sliding_window": 8,
    "layer_types": ["sliding_attention", "full_attention", "sliding_attention"],
}  # fmt: skip
NEO = {  # with the layers of TinyStories: global and local ones in turn
    "vocab_size": VOCABULARY, "max_position_embeddings": 96, "hidden_size": 32, "num_layers": 3, "num_heads": 4,
    "window_size": 8, "attention_types": [[["global", "local"], 1], [["global"], 1]], "bos_token_id": 2,
    "eos_token_id": 2,
}  # fmt: skip
DISENTANGLED: dict[str, Any] = {
    "relative_attention": True,
    "pos_att_type": ["c2p", "p2c"],
    "max_relative_positions": 16,
}

SERVED: dict[str, Family] = {
    "bert": Family(hf.BertConfig),
    "roberta": _roberta(hf.RobertaConfig),
    "xlm-roberta": _roberta(hf.XLMRobertaConfig),
    "camembert": _roberta(hf.CamembertConfig),
    "electra": Family(hf.ElectraConfig, ENCODER | {"embedding_size": 16}),
    "distilbert": Family(hf.DistilBertConfig, {
        "vocab_size": VOCABULARY, "max_position_embeddings": 96, "n_layers": 3, "n_heads": 4, "dim": 32,
        "hidden_dim": 48,
    }),
    "albert": Family(hf.AlbertConfig, ENCODER | {"embedding_size": 16}),
    "modernbert": Family(hf.ModernBertConfig, MODERN),
    "nomic_bert": Family(hf.NomicBertConfig),
    "gpt2": _causal(hf.GPT2Config, GPT | {"bos_token_id": 2, "eos_token_id": 2}),
    "gpt_neox": _causal(hf.GPTNeoXConfig, ENCODER),
    "llama": _causal(hf.LlamaConfig, DECODER),
    "qwen2": _causal(hf.Qwen2Config, DECODER),
    "qwen3": _causal(hf.Qwen3Config, DECODER | {"head_dim": 8}),
    "gemma2": _causal(hf.Gemma2Config, GEMMA | {"attn_logit_softcapping": 2.0}),
    "gemma3": _causal(hf.Gemma3TextConfig, GEMMA),
    "t5": Family(hf.T5Config, T5, "ending", window=512),
    "bart": Family(hf.BartConfig, BART, "bytes"),
    "mpnet": _roberta(hf.MPNetConfig),
    "deberta": Family(hf.DebertaConfig, ENCODER | DISENTANGLED),
    "deberta-v2": Family(hf.DebertaV2Config, ENCODER | DISENTANGLED | {"position_buckets": 8}),
    "ibert": _roberta(hf.IBertConfig),
    "roformer": Family(hf.RoFormerConfig),
    "rembert": Family(hf.RemBertConfig, ENCODER | {"input_embedding_size": 24}),
    "megatron-bert": Family(hf.MegatronBertConfig),
    "bloom": _causal(
        hf.BloomConfig, {"vocab_size": VOCABULARY, "hidden_size": 32, "n_layer": 3, "n_head": 4}, window=512
    ),
    "falcon": _causal(hf.FalconConfig, DECODER | {"new_decoder_architecture": True, "num_kv_heads": 2}),
    "gptj": _causal(hf.GPTJConfig, GPT | {"rotary_dim": 4}),
    "codegen": _causal(hf.CodeGenConfig, GPT | {"rotary_dim": 4}),
    "gpt_neo": _causal(hf.GPTNeoConfig, NEO),
    "gpt_neox_japanese": _causal(
        hf.GPTNeoXJapaneseConfig, SMALL | {"max_position_embeddings": 96, "intermediate_multiple_size": 2}
    ),
    "mpt": _causal(
        hf.MptConfig, {"vocab_size": VOCABULARY, "d_model": 32, "n_layers": 3, "n_heads": 4, "max_seq_len": 96}
    ),
    "ctrl": _causal(hf.CTRLConfig, GPT | {"dff": 48}),
    "openai-gpt": _causal(hf.OpenAIGPTConfig, GPT),
    "xglm": _causal(hf.XGLMConfig, {
        "vocab_size": VOCABULARY, "max_position_embeddings": 96, "d_model": 32, "ffn_dim": 48, "num_layers": 3,
        "attention_heads": 4,
    }),
    "xlm": Family(hf.XLMConfig, XLM, "bytes"),
    "flaubert": Family(hf.FlaubertConfig, XLM, "bytes"),
}  # fmt: skip

# Families whose decoder and cross-attention are served, too. Encoders and decoders differ in layers and heads.
ENCODER_DECODERS: dict[str, Family] = {
    "t5": Family(hf.T5Config, T5 | {"num_decoder_layers": 2, "decoder_start_token_id": 0}, "ending", window=512),
    "bart": Family(hf.BartConfig, BART | {"decoder_start_token_id": 2}, "bytes"),
    "mbart": Family(hf.MBartConfig, BART, "bytes"),
    "marian": Family(hf.MarianConfig, BART | {"decoder_start_token_id": 0, "pad_token_id": 0}, "ending"),
    "pegasus": Family(hf.PegasusConfig, BART | {"decoder_start_token_id": 0, "pad_token_id": 0}, "ending"),
}

# Families that read windows longer than the usual ones.
LONG = {"max_position_embeddings": 4096, "num_hidden_layers": 2}
READS_LONG: dict[str, Family] = {
    "modernbert": Family(hf.ModernBertConfig, MODERN | LONG | {"local_attention": 128}),
    "nomic_bert": Family(hf.NomicBertConfig, ENCODER | LONG),
    "llama": _causal(hf.LlamaConfig, DECODER | LONG),
    "gemma3": _causal(
        hf.Gemma3TextConfig, GEMMA | LONG | {"sliding_window": 64, "layer_types": GEMMA["layer_types"][:2]}
    ),
    "t5": Family(hf.T5Config, T5 | {"num_layers": 2}, "ending"),
}

# Refused, each with a sentence that says this. Funnel and Mamba stand for what is found out only when it runs.
REFUSED: dict[str, tuple[Family, str]] = {
    "xlnet": (
        Family(hf.XLNetConfig, {"vocab_size": VOCABULARY, "d_model": 32, "n_layer": 3, "n_head": 4, "d_inner": 48}),
        "xlnet, does not compute attention through the interface of transformers",
    ),
    "funnel": (
        Family(hf.FunnelConfig, {
            "vocab_size": VOCABULARY, "block_sizes": [1, 1], "num_decoder_layers": 1, "d_model": 32, "n_head": 4,
            "d_head": 8, "d_inner": 48, "architectures": ["FunnelModel"],
        }),
        "no stack of attention layers",
    ),
    "mamba2": (
        Family(hf.Mamba2Config, {
            "vocab_size": VOCABULARY, "hidden_size": 32, "num_hidden_layers": 2, "num_heads": 8, "head_dim": 8,
            "state_size": 8, "n_groups": 1,
        }),
        "no stack of attention layers",
    ),
    "gpt_oss": (
        Family(hf.GptOssConfig, DECODER | {"head_dim": 8, "num_local_experts": 2, "num_experts_per_tok": 1}),
        "attention sinks",
    ),
    "falcon": (  # transformers adds its biases twice where it returns maps
        Family(hf.FalconConfig, SMALL | {"alibi": True, "multi_query": False}), "changes what it computes"
    ),
    "diffllama": (Family(hf.DiffLlamaConfig, DECODER), "computes attention 6 times in its 3 layers"),
    "fnet": (Family(hf.FNetConfig), "fnet, does not compute attention through the interface"),
    "vit": (
        Family(hf.ViTConfig, {
            "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48,
            "image_size": 32, "patch_size": 8,
        }),
        "its family, vit, is no stack of attention layers that reads tokens",
    ),
    "canine": (
        Family(hf.CanineConfig, ENCODER | {"num_hash_buckets": 64}),
        "its family, canine, is no stack of attention layers",
    ),
}  # fmt: skip
# Whose attention gives no maps by which values become head outputs: refused even where a record says where to look.
UNREADABLE: dict[str, tuple[Family, str, str, str]] = {
    "longformer": (
        Family(hf.LongformerConfig, ENCODER | {"attention_window": 8}),
        r"\.attention\.output\.dense$", r"\.self\.value$", "no attention maps of each token to every token",
    ),
    "nystromformer": (
        Family(hf.NystromformerConfig, ENCODER | {"num_landmarks": 4, "segment_means_seq_len": 16}),
        r"\.attention\.output\.dense$", r"\.self\.value$", "no attention maps of each token to every token",
    ),
    "prophetnet": (
        Family(hf.ProphetNetConfig, {
            "vocab_size": VOCABULARY, "hidden_size": 32, "num_encoder_layers": 3, "num_decoder_layers": 2,
            "encoder_ffn_dim": 48, "num_encoder_attention_heads": 4, "num_decoder_attention_heads": 4,
            "decoder_ffn_dim": 48, "max_position_embeddings": 96,
        }),
        r"\.out_proj$", r"\.value_proj$", "the rows of its attention maps do not add up to 1",
    ),
    "mpnet": (SERVED["mpnet"], r"\.attn\.o$", r"\.attn\.k$", "outputs are not the means of values"),
    "bert": (SERVED["bert"], r"\.no$", r"\.such$", "interface"),
}  # fmt: skip


# A family for each way to the heads: shared layers, local and grouped attention, caps, biases by distance, hooks. The
# others are loaded by `test_loading`, which checks the heads of each; `make test-all` compares all with published ones.
MECHANISMS = ("bert", "albert", "modernbert", "gpt2", "llama", "gemma2", "t5", "bart", "mpnet", "deberta-v2", "gpt_neo")


def by_mechanism(names: Iterable[str]) -> pytest.MarkDecorator:
    """Runs a test for a family of each mechanism."""
    return pytest.mark.parametrize("family", [name for name in names if name in MECHANISMS])


def of_families(names: Iterable[str]) -> pytest.MarkDecorator:
    """Runs a test for each family, those that share a mechanism with another where all tests run."""
    return pytest.mark.parametrize("family", quick_only(names, *MECHANISMS))


def save_tiny(folder: Path, family: Family, seed: int = 0, **tokenizer_options: Any) -> Path:
    """Save a tiny model with its tokenizer; the same seed gives the same weights."""
    save_tokenizer(folder, family.tokenizer, **tokenizer_options)
    return save_network(folder, network(family.config(), seed))


def save_whole(folder: Path, family: Family, seed: int = 0) -> Path:
    """The same with a language-model head, masked or causal, and a mask token where it is masked."""
    save_tokenizer(folder, family.tokenizer, **({} if family.causal else {"mask_token": MASK[family.tokenizer]}))
    kind: Any = hf.AutoModelForCausalLM if family.causal else hf.AutoModelForMaskedLM
    return save_network(folder, network(family.config(), seed, kind))


def network(config: Any, seed: int = 0, kind: Any = hf.AutoModel) -> nn.Module:
    """A network of this configuration with wide random weights."""
    torch.manual_seed(seed)
    made = kind.from_config(config)
    with torch.no_grad():
        for parameter in made.parameters():
            parameter += 0.25 * torch.randn_like(parameter)
    return made.eval()


def save_network(folder: Path, made: nn.Module) -> Path:
    made.save_pretrained(folder)
    return folder


def save_tokenizer(folder: Path, kind: TokenizerKind, **options: Any) -> Path:
    """Save a fast tokenizer; `options` go to transformers' wrapper (model_max_length, sep_token=None, ...)."""
    special = SPECIAL[kind]
    names = {name: token for name, token in (special | options).items() if token is not None}
    hf.PreTrainedTokenizerFast(tokenizer_object=trained(kind, TEXT, VOCABULARY), **names).save_pretrained(folder)
    return folder
