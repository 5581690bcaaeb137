"""Frames with a row, or several, for each head; tables count layers and heads from 1."""

from collections.abc import Mapping

import numpy as np
import pandas as pd


def head_index(layers: int, heads: int, rows: int = 1) -> pd.DataFrame:
    """A frame of the columns layer and head, both from 1, with so many rows per head."""
    layer, head, _ = np.indices((layers, heads, rows))
    return pd.DataFrame({"layer": layer.ravel() + 1, "head": head.ravel() + 1})


def head_frame(columns: Mapping[str, np.ndarray | float], layers: int, heads: int) -> pd.DataFrame:
    """A frame with one row per head. columns: name -> array (layer, head), or one number for all heads."""
    values = {name: np.broadcast_to(column, (layers, heads)).ravel() for name, column in columns.items()}
    return pd.concat([head_index(layers, heads), pd.DataFrame(values)], axis=1)
