"""What a shard keeps of the relations of its texts.

* relations, a row a relation of a text (or part of a long one): pairs_left_out, whose words do not lie in one window or have no
  token; and, where a pair was counted, the sums of `RelationCounts` and some pairs to read.
* margins, a row a question of two candidates: by how much every map and head prefers the right one, and the text's group.
"""

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import add
from typing import Any

import numpy as np
import pyarrow as pa

from attn_core.patterns.window_relations import CountedRelation
from attn_core.runs.job import Piece
from attn_core.study.shard_tables import table

Found = tuple[Piece, Sequence[CountedRelation]]  # a text, and what was counted of it window by window


def relation_tables(texts: Iterable[Found]) -> dict[str, pa.Table]:
    """The tables by name; none where no text has a relation."""
    relations: list[dict[str, Any]] = []
    margins: list[dict[str, Any]] = []
    for piece, counted in texts:
        place = {"text": piece.number, "group": piece.group}
        expected = {one.name: len(one.pairs) for one in piece.annotated.relations} if piece.annotated else {}
        for name in dict.fromkeys([*expected, *(one.name for one in counted)]):
            own = [one for one in counted if one.name == name]
            here = place | {"relation": name}
            row: dict[str, Any] = here | {"pairs_left_out": expected.get(name, 0)}
            if own:
                counts = reduce(add, (one.counts for one in own))
                row |= {
                    "percentile": counts.percentile.ravel().astype(np.float32),
                    "right": counts.right.ravel().astype(np.int32),
                    "pairs": counts.pairs, "questions": counts.questions, "nearest": counts.nearest, "last": counts.last,
                    "offsets": counts.offsets, "examples": own[0].examples,
                    "pairs_left_out": expected.get(name, counts.pairs) - counts.pairs,
                }  # fmt: skip
                of_text = piece.annotated.group if piece.annotated else ""
                margins += [here | {"of_text": of_text, "margin": margin.ravel()} for margin in counts.margins]
            relations.append(row)
    columns = dict.fromkeys(name for row in sorted(relations, key=len, reverse=True) for name in row)
    made = {"relations": table(relations, list(columns))} if relations else {}
    return made | ({"margins": table(margins, list(margins[0]))} if margins else {})
