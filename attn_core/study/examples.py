"""Example pairs of a study: the strongest pairs of every head, at most two of a text.

Parts of a corpus can be merged in any order, and repeatedly, with the same result; the size of the examples does not
depend on the number of texts.
"""

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from attn_core.measures.examples import pair_in_text
from attn_core.measures.frames import head_frame
from attn_core.measures.kinds import KINDS, anchors_within, kinds_of
from attn_core.measures.token_coverage import TokenCoverage
from attn_core.similarity.strong_pairs import StrongPairs
from attn_core.texts.passages import Passage

STRONGEST = 10  # pairs per head
OF_ONE_TEXT = 2  # pairs per head from one text
AROUND = 80  # characters shown on either side of a token
HEADS = ["layer", "head"]
PLACE = ["text", "part", "window", "first", "second"]
PIECES = ["before", "first_text", "between", "second_text", "after"]
Where = tuple[int, int, int]  # text, part of it, window of the part


def candidates(pairs: StrongPairs, coverage: TokenCoverage, where: Where) -> pd.DataFrame:
    """The strongest pairs of every head in a window: layer, head, similarity, kind, and the place in the corpus."""
    layers, heads, strong = pairs.shape
    best = min(OF_ONE_TEXT, strong)
    first, second, similarity = (
        values.reshape(layers * heads, -1)[:, :best] for values in (pairs.first, pairs.second, pairs.similarity)
    )
    kinds = kinds_of(pairs.passage, first, second, anchors_within(coverage).reshape(-1, 1))
    index = head_frame({}, layers, heads, best)
    text, part, number = where
    return pd.DataFrame(
        {
            **{name: index[name].astype(np.int32) for name in HEADS},
            "similarity": similarity.astype(np.float32).ravel(),
            "kind": pd.array(np.array(KINDS, dtype=object)[kinds.ravel()], dtype="str"),
            "text": np.int64(text),
            "part": np.int32(part),
            "window": np.int32(number),
            "first": first.astype(np.int32).ravel(),
            "second": second.astype(np.int32).ravel(),
        }
    )


def merged(parts: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """The examples of several parts of a corpus in one table, head by head, the strongest first."""
    rows = pd.concat(parts, ignore_index=True).drop_duplicates([*HEADS, *PLACE])
    rows = rows.sort_values([*HEADS, "similarity", *PLACE], ascending=[True, True, False, *[True] * len(PLACE)])
    rows = rows[rows.groupby([*HEADS, "text"]).cumcount() < OF_ONE_TEXT]
    return rows[rows.groupby(HEADS).cumcount() < STRONGEST].reset_index(drop=True)


def with_text(examples: pd.DataFrame, passages: Mapping[Where, Passage], names: Mapping[int, str]) -> pd.DataFrame:
    """The examples with the name of their text, their tokens, their distance, and the text around both tokens."""
    rows = []
    for text, *at, first, second in examples[PLACE].itertuples(index=False):
        passage = passages[(text, *at)]
        pieces = [piece for piece, _ in pair_in_text(passage, first, second, AROUND)]
        rows.append((names[text], passage.tokens[first], passage.tokens[second], *pieces))
    columns = ["name", "first_token", "second_token", *PIECES]
    texts = pd.DataFrame(rows, examples.index, columns, dtype="str")
    return examples.assign(distance=examples["second"] - examples["first"]).join(texts)
