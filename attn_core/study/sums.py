"""Everything in a study that adds up: sums over windows and texts, for the study and for every replicate of the bootstrap.

Shards are added in the order of their numbers, so that the sums do not depend on who counted them. Row 0 of every array
is the study, the rows behind it are the replicates (see `bootstrap`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from attn_core.study.bootstrap import weights
from attn_core.study.opened import numbers, shard_tables

ATTENTION = ("separator_attention", "sep_attention", "punctuation_attention")


@dataclass
class Sums:
    """Sums over windows or texts, R = 1 + draws rows: numbers (R,) each, by_head (R, H) or (R, layers) each."""

    windows: int = 0
    numbers: dict[str, np.ndarray] = field(default_factory=dict)
    by_head: dict[str, np.ndarray] = field(default_factory=dict)

    def add(self, name: str, weight: np.ndarray, values: np.ndarray) -> None:
        """weight: (R, n). values: (n,) or (n, H)."""
        into = self.numbers if values.ndim == 1 else self.by_head
        into[name] = into.get(name, 0) + weight @ values.astype(np.float64)


def window_sums(folder: Path, draws: int, seed: int) -> Sums | None:
    """Everything linear, added up; None where no text could be counted."""
    sums = Sums()
    for table in shard_tables(folder, "windows"):
        sums.windows += len(table)
        columns = {name: numbers(table[name]) for name in table.column_names}
        weight = weights(columns["text"], draws, seed)
        for name, values in columns.items():
            if name in ("text", "part", "window"):
                continue
            if name in ATTENTION or name.removeprefix("chance_") in ATTENTION:
                values = (values.T * columns["tokens"]).T
            elif name.startswith("chance_") and name != "chance_concentration":
                values = values * columns["strong"]
            sums.add(name, weight, values)
    if not sums.windows:
        return None
    for table in counted_texts(folder):
        weight = weights(numbers(table["text"]), draws, seed)
        for name in ("anchor_context", "chance_anchor_context"):
            sums.add(name, weight, numbers(table[name]))
    return sums


def statistics(sums: Sums) -> dict[str, np.ndarray]:
    """Every statistic, (R, H), and its chance level, (R, 1) or (R, H), named as in the tables."""
    found: dict[str, np.ndarray] = {}
    with np.errstate(invalid="ignore", divide="ignore"):  # a replicate may draw no text at all
        strong, tokens, eligible = (sums.numbers[name][:, None] for name in ("strong", "tokens", "eligible"))
        for name in pair_statistics(sums):
            found[name] = sums.by_head[name] / strong
            found[f"chance_{name}"] = sums.numbers[f"chance_{name}"][:, None] / strong
        found["concentration"] = sums.by_head["concentration"] * eligible / (2 * strong) ** 2
        found["chance_concentration"] = sums.numbers["chance_concentration"][:, None] * eligible / (2 * strong) ** 2
        found["anchor_context_share"] = sums.by_head["anchor_context"] / strong
        found["chance_anchor_context_share"] = sums.by_head["chance_anchor_context"] / strong
        for name in ATTENTION:
            found[name] = sums.by_head[name] / tokens
            found[f"chance_{name}"] = sums.numbers[f"chance_{name}"][:, None] / tokens
    return found


def pair_statistics(sums: Sums) -> list[str]:
    """The pair properties among the columns: those that stand before the concentration (see `counts.count_window`)."""
    names = list(sums.by_head)
    return names[: names.index("concentration")]


def counted_texts(folder: Path) -> Iterator[pa.Table]:
    """The texts table of every shard without its bad texts."""
    for table in shard_tables(folder, "texts"):
        counted = table.filter(pc.is_null(table["problem"]))
        if len(counted):
            yield counted
