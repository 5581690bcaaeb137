"""Families of transformers with attention code of their own: a record says where each keeps its heads.

All other families compute attention through `transformers.AttentionInterface`, and need no record.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from attn_core.tensors import Tensor, torch


class Fused(NamedTuple):
    """The order of the rows of one matrix of queries, keys and values.

    groups: in how many groups of heads its rows stand; 0: one for each head of keys. order: of the rows of a group.
    """

    groups: int
    order: str = "qkv"


@dataclass(frozen=True)
class Family:
    """Where a family keeps its heads.

    Attributes
    ----------
    output: a pattern of the names of its output projections, whose input is the concatenation of the head outputs.
    values: a pattern of the names of the modules that make the values of tokens, alone or with queries and keys.
    value_bias: the name of what is added to the values later, beside such a module.
    fused: the order of the rows of its matrices of queries, keys and values, where it is not that of `FUSED`.
    any_length: whether it reads texts of any length, as its only positions are distances (ALiBi).
    """

    output: str
    values: str
    value_bias: str = ""
    fused: Fused | None = None
    any_length: bool = False


_BERT = Family(r"\.attention\.output\.dense$", r"\.self\.value$")
_BLOOM = Family(r"\.self_attention\.dense$", r"\.query_key_value$", any_length=True)
_GPT_J = Family(r"\.attn\.out_proj$", r"\.attn\.v_proj$")
_XLM = Family(r"^attentions\.\d+\.out_lin$", r"^attentions\.\d+\.v_lin$")
FAMILIES = {
    **dict.fromkeys(("ibert", "megatron-bert", "rembert", "roformer"), _BERT),
    "bloom": _BLOOM,
    "codegen": Family(_GPT_J.output, r"\.qkv_proj$", fused=Fused(4, "qvk")),
    "ctrl": Family(r"\.multi_head_attention\.dense$", r"\.Wv$"),
    "deberta": Family(_BERT.output, r"\.in_proj$", value_bias="v_bias"),
    "deberta-v2": Family(_BERT.output, r"\.value_proj$"),
    "falcon": replace(_BLOOM, any_length=False),
    "flaubert": _XLM,
    "gpt_neo": Family(r"\.attention\.out_proj$", r"\.attention\.v_proj$"),
    "gpt_neox_japanese": Family(r"\.attention\.dense$", _BLOOM.values),
    "gptj": _GPT_J,
    "mpnet": Family(r"\.attention\.attn\.o$", r"\.attn\.v$"),
    "mpt": Family(_GPT_J.output, r"\.Wqkv$"),
    "openai-gpt": Family(r"\.attn\.c_proj$", r"\.attn\.c_attn$"),
    "xglm": Family(r"\.self_attn\.out_proj$", r"\.self_attn\.v_proj$"),
    "xlm": _XLM,
}
# Matrices of queries, keys and values of all families, by the last part of their names.
FUSED = {
    **dict.fromkeys(("c_attn", "Wqkv", "qkv_proj"), Fused(1)),
    **dict.fromkeys(("query_key_value", "in_proj"), Fused(0)),
}


def kinds_of_rows(name: str, rows: int, config: Any) -> Tensor:
    """Whether each row of a weight matrix makes a query (0), a key (1) or a value (2); all of any other matrix: 2."""
    fused, family = FUSED.get(name.rpartition(".")[2]), FAMILIES.get(config.model_type)
    if fused is None:
        return torch.full((rows,), 2)
    groups, order = (family and family.fused) or fused
    heads, of_keys = config.num_attention_heads, _key_heads(config)
    width = rows // (heads + 2 * of_keys)
    groups = groups or of_keys
    sizes = {"q": heads * width // groups, "k": of_keys * width // groups, "v": of_keys * width // groups}
    return torch.cat([torch.full((sizes[kind],), "qkv".index(kind)) for kind in order]).repeat(groups)


def _key_heads(config: Any) -> int:
    """The number of heads of keys and values, which several heads of queries may share."""
    if getattr(config, "multi_query", False) and not getattr(config, "new_decoder_architecture", False):
        return 1  # as the first Falcon
    names = ("num_key_value_heads", "num_kv_heads", "num_attention_heads")
    return next(number for name in names if (number := getattr(config, name, None)))


def value_reader(network: Any, name: str) -> Callable[[Any], Tensor]:
    """The function from the output of a module to the values (batch, token, width) in it. name: of the module."""
    config, bias = network.config, FAMILIES[network.config.model_type].value_bias
    added = getattr(network.get_submodule(name.rpartition(".")[0]), bias) if bias else 0
    clip = getattr(getattr(config, "attn_config", None), "clip_qkv", None) or float("inf")  # MPT

    def read(output: Any) -> Tensor:
        made = output[0] if isinstance(output, tuple) else output
        is_value = (kinds_of_rows(name, made.shape[-1], config) == 2).to(made.device)
        return (made[..., is_value] + added).clamp(-clip, clip)

    return read


def out_first(module: Any, weight: Tensor) -> Tensor:
    """A weight matrix of a module as (out, in); that of GPT-2's own linear layer is (in, out)."""
    return weight.T if type(module).__name__ == "Conv1D" else weight
