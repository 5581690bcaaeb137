"""Frames with a row, or several, for each head; tables count layers and heads from 1."""

from collections.abc import Mapping

import numpy as np
import pandas as pd


def head_index(layers: int, heads: int, rows: int = 1) -> pd.DataFrame:
    """Columns layer and head, so many rows a head."""
    layer, head, _ = np.indices((layers, heads, rows))
    return pd.DataFrame({"layer": layer.ravel() + 1, "head": head.ravel() + 1})


def head_frame(columns: Mapping[str, np.ndarray | float], layers: int, heads: int) -> pd.DataFrame:
    """One row a head. columns: arrays (layer, head), or one number for all heads."""
    values = {name: np.broadcast_to(column, (layers, heads)).ravel() for name, column in columns.items()}
    return pd.concat([head_index(layers, heads), pd.DataFrame(values)], axis=1)
