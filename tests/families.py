"""Tiny random models of every family, saved the way a publisher would save them: config, safetensors, fast tokenizer.

The weights are drawn wide (and biases away from 0), so that heads attend sharply and a wrong scale, mask or bias shows.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import pytest
import torch
import transformers as hf
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from torch import nn

from attn_core.models.files import Stack
from attn_core.models.records import LoadedModel
from attn_core.texts.passages import Passage
from tests.quick import quick_only

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
TokenizerKind = Literal["wordpiece", "bytes", "pieces", "ending"]


@dataclass(frozen=True)
class Family:
    """How to make a tiny model: its configuration, the kind of tokenizer that goes with it, whether it is causal."""

    config: Callable[[], Any]
    tokenizer: TokenizerKind = "wordpiece"
    causal: bool = False
    window: int = 96


def _roberta(config: type, **options: Any) -> Family:
    """These count positions from the padding index on: two of their positions serve no token."""
    return Family(
        lambda: config(**ENCODER, pad_token_id=1, bos_token_id=2, eos_token_id=3, **options), "bytes", window=94
    )


def _decoder(config: type, **options: Any) -> Family:
    return Family(lambda: config(**DECODER | options), "bytes", causal=True)


T5: dict[str, Any] = {"vocab_size": VOCABULARY, "d_model": 32, "d_kv": 8, "d_ff": 48, "num_heads": 4}
BART: dict[str, Any] = {
    "vocab_size": VOCABULARY, "max_position_embeddings": 96, "d_model": 32, "encoder_layers": 3,
    "encoder_attention_heads": 4,
    "encoder_ffn_dim": 48, "decoder_layers": 2, "decoder_attention_heads": 2, "decoder_ffn_dim": 48,
}  # fmt: skip
GPT: dict[str, Any] = {"vocab_size": VOCABULARY, "n_positions": 96, "n_embd": 32, "n_layer": 3, "n_head": 4}
XLM: dict[str, Any] = {
    "vocab_size": VOCABULARY, "max_position_embeddings": 96, "emb_dim": 32, "n_layers": 3, "n_heads": 4
}  # fmt: skip
LOCAL = ["sliding_attention", "full_attention", "sliding_attention"]
DISENTANGLED: dict[str, Any] = {
    "relative_attention": True,
    "pos_att_type": ["c2p", "p2c"],
    "max_relative_positions": 16,
}

SERVED: dict[str, Family] = {
    "bert": Family(lambda: hf.BertConfig(**ENCODER)),
    "roberta": _roberta(hf.RobertaConfig),
    "xlm-roberta": _roberta(hf.XLMRobertaConfig),
    "camembert": _roberta(hf.CamembertConfig),
    "electra": Family(lambda: hf.ElectraConfig(**ENCODER, embedding_size=16)),
    "distilbert": Family(lambda: hf.DistilBertConfig(
            vocab_size=VOCABULARY, max_position_embeddings=96, n_layers=3, n_heads=4, dim=32, hidden_dim=48
        )),
    "albert": Family(lambda: hf.AlbertConfig(**ENCODER, embedding_size=16)),
    "modernbert": Family(
        lambda: hf.ModernBertConfig(  # type: ignore[call-arg]
            **ENCODER, pad_token_id=0, local_attention=8, global_attn_every_n_layers=2,
            bos_token_id=2, eos_token_id=3, cls_token_id=2, sep_token_id=3,
        )
    ),
    "nomic_bert": Family(lambda: hf.NomicBertConfig(**ENCODER)),
    "gpt2": Family(lambda: hf.GPT2Config(**GPT, bos_token_id=2, eos_token_id=2), "bytes", causal=True),
    "gpt_neox": Family(lambda: hf.GPTNeoXConfig(**ENCODER), "bytes", causal=True),
    "llama": _decoder(hf.LlamaConfig),
    "qwen2": _decoder(hf.Qwen2Config),
    "qwen3": _decoder(hf.Qwen3Config, head_dim=8),
    "gemma2": _decoder(
        hf.Gemma2Config, head_dim=8, query_pre_attn_scalar=5, attn_logit_softcapping=2.0, sliding_window=8,
        layer_types=LOCAL
    ),
    "gemma3": _decoder(hf.Gemma3TextConfig, head_dim=8, query_pre_attn_scalar=5, sliding_window=8, layer_types=LOCAL),
    "t5": Family(lambda: hf.T5Config(**T5, num_layers=3), "ending", window=512),
    "bart": Family(lambda: hf.BartConfig(**BART), "bytes"),
    "mpnet": Family(
        lambda: hf.MPNetConfig(**ENCODER, pad_token_id=1, bos_token_id=2, eos_token_id=3), "bytes", window=94
    ),
    "deberta": Family(lambda: hf.DebertaConfig(**ENCODER, **DISENTANGLED)),
    "deberta-v2": Family(lambda: hf.DebertaV2Config(**ENCODER, **DISENTANGLED | {"position_buckets": 8})),
    "ibert": _roberta(hf.IBertConfig),
    "roformer": Family(lambda: hf.RoFormerConfig(**ENCODER)),
    "rembert": Family(lambda: hf.RemBertConfig(**ENCODER, input_embedding_size=24)),
    "megatron-bert": Family(lambda: hf.MegatronBertConfig(**ENCODER)),
    "bloom": Family(
        lambda: hf.BloomConfig(vocab_size=VOCABULARY, hidden_size=32, n_layer=3, n_head=4), "bytes", causal=True,
        window=512
    ),
    "falcon": _decoder(hf.FalconConfig, new_decoder_architecture=True, num_kv_heads=2),
    "gptj": Family(lambda: hf.GPTJConfig(**GPT, rotary_dim=4), "bytes", causal=True),
    "codegen": Family(lambda: hf.CodeGenConfig(**GPT, rotary_dim=4), "bytes", causal=True),
    "gpt_neo": Family(  # with the layers of TinyStories: global and local ones in turn
        lambda: hf.GPTNeoConfig(
            vocab_size=VOCABULARY, max_position_embeddings=96, hidden_size=32, num_layers=3, num_heads=4, window_size=8,
            attention_types=[[["global", "local"], 1], [["global"], 1]], bos_token_id=2, eos_token_id=2,
        ),
        "bytes", causal=True,
    ),
    "gpt_neox_japanese": Family(
        lambda: hf.GPTNeoXJapaneseConfig(**SMALL, max_position_embeddings=96, intermediate_multiple_size=2),
        "bytes", causal=True,
    ),
    "mpt": Family(
        lambda: hf.MptConfig(vocab_size=VOCABULARY, d_model=32, n_layers=3, n_heads=4, max_seq_len=96), "bytes",
        causal=True,
    ),
    "ctrl": Family(lambda: hf.CTRLConfig(**GPT, dff=48), "bytes", causal=True),
    "openai-gpt": Family(lambda: hf.OpenAIGPTConfig(**GPT), "bytes", causal=True),
    "xglm": Family(
        lambda: hf.XGLMConfig(
            vocab_size=VOCABULARY, max_position_embeddings=96, d_model=32, ffn_dim=48, num_layers=3, attention_heads=4
        ),
        "bytes", causal=True,
    ),
    "xlm": Family(lambda: hf.XLMConfig(**XLM), "bytes"),
    "flaubert": Family(lambda: hf.FlaubertConfig(**XLM), "bytes"),
}  # fmt: skip

# Families whose decoder and cross-attention are served, too. Encoders and decoders differ in layers and heads.
ENCODER_DECODERS: dict[str, Family] = {
    "t5": Family(
        lambda: hf.T5Config(**T5 | {"num_layers": 3, "num_decoder_layers": 2, "decoder_start_token_id": 0}),
        "ending", window=512,
    ),
    "bart": Family(lambda: hf.BartConfig(**BART, decoder_start_token_id=2), "bytes"),
    "mbart": Family(lambda: hf.MBartConfig(**BART), "bytes"),
    "marian": Family(lambda: hf.MarianConfig(**BART, decoder_start_token_id=0, pad_token_id=0), "ending"),
    "pegasus": Family(lambda: hf.PegasusConfig(**BART, decoder_start_token_id=0, pad_token_id=0), "ending"),
}  # fmt: skip

# Families that read windows longer than the usual ones.
LONG = {"max_position_embeddings": 4096, "num_hidden_layers": 2}
SPECIAL = {"pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 3}
READS_LONG: dict[str, Family] = {
    "modernbert": Family(
        lambda: hf.ModernBertConfig(  # type: ignore[call-arg]
            **ENCODER | LONG | SPECIAL, local_attention=128, global_attn_every_n_layers=2, cls_token_id=2,
            sep_token_id=3
        )
    ),
    "nomic_bert": Family(lambda: hf.NomicBertConfig(**ENCODER | LONG)),
    "llama": Family(lambda: hf.LlamaConfig(**DECODER | LONG), "bytes", causal=True),
    "gemma3": Family(
        lambda: hf.Gemma3TextConfig(
            **DECODER | LONG, head_dim=8, query_pre_attn_scalar=5, sliding_window=64, layer_types=LOCAL[:2]
        ),
        "bytes", causal=True,
    ),
    "t5": Family(lambda: hf.T5Config(**T5, num_layers=2), "ending"),
}  # fmt: skip

# Refused, each with a sentence that says this. Funnel and Jamba stand for what is found out only when it runs.
REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "xlnet": (
        lambda: hf.XLNetConfig(vocab_size=VOCABULARY, d_model=32, n_layer=3, n_head=4, d_inner=48),
        "xlnet, does not compute attention through the interface of transformers",
    ),
    "funnel": (
        lambda: hf.FunnelConfig(
            vocab_size=VOCABULARY, block_sizes=[1, 1], num_decoder_layers=1, d_model=32, n_head=4, d_head=8, d_inner=48,
            architectures=["FunnelModel"],
        ),
        "no stack of attention layers",
    ),
    "mamba2": (
        lambda: hf.Mamba2Config(
            vocab_size=VOCABULARY, hidden_size=32, num_hidden_layers=2, num_heads=8, head_dim=8, state_size=8,
            n_groups=1
        ),
        "no stack of attention layers",
    ),
    "gpt_oss": (
        lambda: hf.GptOssConfig(**DECODER, head_dim=8, num_local_experts=2, num_experts_per_tok=1),
        "attention sinks",
    ),
    "falcon": (  # transformers adds its biases twice where it returns maps
        lambda: hf.FalconConfig(**SMALL, alibi=True, multi_query=False), "changes what it computes"
    ),
    "diffllama": (lambda: hf.DiffLlamaConfig(**DECODER), "computes attention 6 times in its 3 layers"),
    "fnet": (lambda: hf.FNetConfig(**ENCODER), "fnet, does not compute attention through the interface"),
    "vit": (
        lambda: hf.ViTConfig(
            hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48, image_size=32,
            patch_size=8
        ),
        "its family, vit, is no stack of attention layers that reads tokens",
    ),
    "canine": (
        lambda: hf.CanineConfig(**ENCODER, num_hash_buckets=64), "its family, canine, is no stack of attention layers"
    ),
}  # fmt: skip
# Whose attention gives no maps by which values become head outputs: refused even where a record says where to look.
UNREADABLE: dict[str, tuple[Callable[[], Any], str, str, str]] = {
    "longformer": (
        lambda: hf.LongformerConfig(**ENCODER, attention_window=8), r"\.attention\.output\.dense$", r"\.self\.value$",
        "no attention maps of each token to every token",
    ),
    "nystromformer": (
        lambda: hf.NystromformerConfig(**ENCODER, num_landmarks=4, segment_means_seq_len=16),
        r"\.attention\.output\.dense$", r"\.self\.value$", "no attention maps of each token to every token",
    ),
    "prophetnet": (
        lambda: hf.ProphetNetConfig(
            vocab_size=VOCABULARY, hidden_size=32, num_encoder_layers=3, num_decoder_layers=2, encoder_ffn_dim=48,
            num_encoder_attention_heads=4, num_decoder_attention_heads=4, decoder_ffn_dim=48, max_position_embeddings=96
        ),
        r"\.out_proj$", r"\.value_proj$", "the rows of its attention maps do not add up to 1",
    ),
    "mpnet": (
        SERVED["mpnet"].config, r"\.attn\.o$", r"\.attn\.k$", "outputs are not the means of values",
    ),
    "bert": (SERVED["bert"].config, r"\.no$", r"\.such$", "interface"),
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
    special = _SPECIAL[kind]
    names = {name: token for name, token in (special | options).items() if token is not None}
    hf.PreTrainedTokenizerFast(tokenizer_object=_trained(kind), **names).save_pretrained(folder)
    return folder


MASK = {"wordpiece": "[MASK]", "bytes": "<mask>"}  # of the tokenizers that masked models read with
# In order of their ids: [PAD] is 0 as in BERT, and <pad> is 1 as in RoBERTa.
_SPECIAL: dict[str, dict[str, str]] = {
    "wordpiece": {
        "pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]"
    },
    "bytes": {"bos_token": "<s>", "pad_token": "<pad>", "eos_token": "</s>", "cls_token": "<s>", "sep_token": "</s>"},
    "ending": {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"},
    "pieces": {"unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>"},
}  # fmt: skip


@cache
def _trained(kind: TokenizerKind) -> Tokenizer:
    """WordPiece as BERT has it, byte-level BPE as RoBERTa, and Metaspace pieces with an end token as T5."""
    special = list(dict.fromkeys(_SPECIAL[kind].values()))
    if kind == "wordpiece":
        return _framed(_word_pieces(special), "[CLS] $A [SEP]", special)
    if kind == "bytes":
        made = Tokenizer(models.BPE())
        made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        made.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(
            vocab_size=VOCABULARY, special_tokens=special, show_progress=False,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        )  # fmt: skip
        frame = "<s> $A </s>"
    else:
        made = Tokenizer(models.BPE(unk_token="<unk>"))
        made.pre_tokenizer = pre_tokenizers.Metaspace()
        made.decoder = decoders.Metaspace()
        trainer = trainers.BpeTrainer(vocab_size=VOCABULARY, special_tokens=special, show_progress=False)
        frame = "$A </s>" if kind == "ending" else "<s> $A"
    made.train_from_iterator([TEXT], trainer)
    return _framed(made, frame, special)


def _word_pieces(special: list[str]) -> Tokenizer:
    """The same in every process: letters within words come first, whose order in training varies."""
    inner = ["##" + letter for letter in sorted(set("".join(TEXT.lower().split())))]
    trained = _uncased(models.WordPiece(unk_token="[UNK]"))
    trained.train_from_iterator(
        [TEXT], trainers.WordPieceTrainer(vocab_size=VOCABULARY, special_tokens=special + inner, show_progress=False)
    )
    return _uncased(models.WordPiece(trained.get_vocab(), unk_token="[UNK]"))


def _uncased(model: models.WordPiece) -> Tokenizer:
    made = Tokenizer(model)
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.decoder = decoders.WordPiece()
    return made


def _framed(made: Tokenizer, frame: str, special: list[str]) -> Tokenizer:
    ids = [(token, made.token_to_id(token)) for token in special]
    made.post_processor = processors.TemplateProcessing(single=frame, special_tokens=ids)
    return made
