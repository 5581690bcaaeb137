"""Shuffled weights: the entries of every matrix of the layers in random order, so that their scale stays.

Embeddings, including tables of relative positions, norms, biases and everything outside the layers, such as a pooler
or a head, are unchanged. A matrix of queries, keys and values is shuffled within each of the three, since their scales
differ.
"""

import re
from typing import Any

from attn_core.models.families import kinds_of_rows, out_first
from attn_core.tensors import Tensor, nn, torch

IN_LAYERS = re.compile(r"(^|\.)(\d+|conv)(\.|$)")  # in a list of layers, or DeBERTa's convolution


@torch.no_grad()
def shuffle_weights(network: Any, seed: int) -> None:
    """Shuffle all parameters of two or more dimensions inside the layers in place; shared layers are shuffled once."""
    drawn = torch.Generator().manual_seed(seed)
    for name, module in network.named_modules():  # a shared module comes once
        if not IN_LAYERS.search(name) or isinstance(module, nn.Embedding) or "norm" in type(module).__name__.lower():
            continue
        for weight in module.parameters(recurse=False):
            if weight.ndim < 2:
                continue
            rows = out_first(module, weight)
            for part in _parts(name, len(rows), network.config):
                entries = rows[part]
                order = torch.randperm(entries.numel(), generator=drawn)
                rows[part] = entries.flatten()[order.to(entries.device)].view_as(entries)


def _parts(name: str, rows: int, config: Any) -> list[Tensor]:
    """Groups of rows of a weight matrix that share a scale: all rows, or those of queries, of keys and of values."""
    kinds = kinds_of_rows(name, rows, config)
    return [torch.arange(rows)] if kinds is None else [torch.nonzero(kinds == kind)[:, 0] for kind in range(3)]
