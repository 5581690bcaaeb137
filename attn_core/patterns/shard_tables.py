"""What a shard keeps of the relations of its texts.

* relations, a row a relation of a text (or part of a long one): pairs_left_out, whose words do not lie in one window or have no
  token; and, where a pair was counted, the sums of `RelationCounts`.
* margins, a row a pair of a choice between two: by how much every map and head prefers the right one.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from operator import add
from typing import Any

import numpy as np
import pyarrow as pa

from attn_core.patterns.relation_counts import RelationCounts
from attn_core.runs.job import Piece
from attn_core.study.shard_tables import table

Found = tuple[Piece, Sequence[Mapping[str, RelationCounts]]]  # a text, and what was counted of it window by window


def relation_tables(texts: Iterable[Found]) -> dict[str, pa.Table]:
    """The tables by name; none where no text has a relation."""
    relations: list[dict[str, Any]] = []
    margins: list[dict[str, Any]] = []
    for piece, windows in texts:
        expected = {one.name: len(one.questions) for one in piece.annotated.relations} if piece.annotated else {}
        for name in dict.fromkeys([*expected, *(name for counted in windows for name in counted)]):
            own = [counted[name] for counted in windows if name in counted]
            here = {"text": piece.number, "group": piece.group, "relation": name}
            row: dict[str, Any] = here | {"pairs_left_out": expected.get(name, 0)}
            if own:
                counts = reduce(add, own)
                row |= {
                    "percentile": counts.percentile.ravel().astype(np.float32),
                    "right": counts.right.ravel().astype(np.int32),
                    "pairs": counts.pairs, "last": counts.last, "offsets": counts.offsets,
                    "pairs_left_out": expected.get(name, counts.pairs) - counts.pairs,
                }  # fmt: skip
                margins += [here | {"margin": margin.ravel()} for margin in counts.margins]
            relations.append(row)
    columns = dict.fromkeys(name for row in sorted(relations, key=len, reverse=True) for name in row)
    made = {"relations": table(relations, list(columns))} if relations else {}
    return made | ({"margins": table(margins, list(margins[0]))} if margins else {})
