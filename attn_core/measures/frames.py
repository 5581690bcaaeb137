"""Frames with a row, or several, for each head; tables count layers and heads from 1."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd


def head_frame(columns: Mapping[str, Any], layers: int, heads: int, rows: int = 1) -> pd.DataFrame:
    """A frame of the columns layer and head, both from 1, and the given columns, with so many rows per head.

    columns: name -> array of all rows in the order (layer, head, row), of any shape, or one value for all rows.
    """
    layer, head = (number.repeat(rows) for number in np.indices((layers, heads)).reshape(2, -1) + 1)
    flat = {name: np.ravel(values) if isinstance(values, np.ndarray) else values for name, values in columns.items()}
    return pd.DataFrame({"layer": layer, "head": head, **flat})
