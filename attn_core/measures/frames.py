"""Labels for arrays: layers and heads count from 0 in arrays and from 1 in every table."""

from collections.abc import Mapping

import numpy as np
import pandas as pd


def head_index(layers: int, heads: int) -> pd.DataFrame:
    """Columns layer and head, one row a head, layer by layer."""
    layer, head = np.indices((layers, heads))
    return pd.DataFrame({"layer": layer.ravel() + 1, "head": head.ravel() + 1})


def head_frame(columns: Mapping[str, np.ndarray | float], layers: int, heads: int) -> pd.DataFrame:
    """One row a head; each column an array (layer, head) or one number for all."""
    values = {name: np.broadcast_to(column, (layers, heads)).ravel() for name, column in columns.items()}
    return pd.concat([head_index(layers, heads), pd.DataFrame(values)], axis=1)
