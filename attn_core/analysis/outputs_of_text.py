"""The head outputs of a text as one array, with the tokens that they are of: for work of one's own."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from attn_core.analysis.reading import read
from attn_core.analysis.window_tables import token_table
from attn_core.checks import check_type
from attn_core.head import head_of
from attn_core.models.head_outputs import as_array
from attn_core.texts.documents import read_document
from attn_core.texts.languages import AUTO
from attn_core.texts.passages import Layout

if TYPE_CHECKING:
    from attn_core.models.named import Named


@dataclass(frozen=True, eq=False, repr=False)
class OutputsOfText:
    """tokens: a row a token, special tokens included, as the tokens table of an `Analysis`: window, position, token, ...

    z: (layer, head, token, d_head) float32, the head outputs before the output projection, windows one after another; its
    third axis are the rows of tokens. `outputs["L3H10"]` are those of one head, (token, d_head).
    """

    tokens: pd.DataFrame
    z: np.ndarray

    def __getitem__(self, head: str | tuple[int, int]) -> np.ndarray:
        """Of one head by its name, or as a `Head`, counted from 0. Raises InputError for one that the model has not."""
        return self.z[head_of(head, *self.z.shape[:2])]

    def __repr__(self) -> str:
        return f"OutputsOfText(z={self.z.shape})"


def head_outputs(
    text: str,
    model: "Named" = None,
    *,
    language: str = AUTO,
    layout: Layout = "plain",
    window: int | None = None,
    window_tokens: int | None = None,
) -> OutputsOfText:
    """What every head of a model puts out at every token of a text: all options as of `analyze`.

    Returns z (layer, head, token, d_head) and the table of the tokens. Layers and heads are axes and count from 0 there;
    asked for by name, they count from 1. Raises as `analyze`.

    >>> outputs = attn_core.head_outputs(text, model)
    >>> outputs.z.shape, outputs["L3H10"].shape
    ((6, 12, 18, 32), (18, 32))
    >>> bool((outputs["L3H10"] == outputs.z[2, 9]).all())
    True
    """
    check_type(text, str, "A text")
    document = read_document(text, language)  # what is wrong with the text is told before torch is imported

    from attn_core.models.named import loaded_model

    reading = read(loaded_model(model, window_tokens), document, layout, window)
    tokens = pd.concat([token_table(passage) for passage in reading.passages], ignore_index=True)
    return OutputsOfText(tokens, np.concatenate([as_array(output.z) for output in reading.outputs], axis=2))
