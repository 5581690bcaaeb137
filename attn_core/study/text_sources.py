"""Sources of the heads in each text of a study: in how many texts a token is a head's source, and how far above chance.

A shard has the table `sources`, a row per text (or part of a long one) and head: text, part, group, and the first row
of the head in `measures.sources.source_table`. Texts with fewer than `MIN_PAIRS` strong pairs per head have none, nor
have models whose values cannot be read.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from attn_core.measures.sources import SourceCounts, added, source_table
from attn_core.numerics.leave_one_out import interval_of_mean, means_of_groups
from attn_core.runs.shards import tables_named

OF_HEAD = ["layer", "head", "token", "token_id"]


def source_rows(windows: Sequence[SourceCounts]) -> pd.DataFrame:
    """The source of each head over the windows of a text, with its share and chance level."""
    table = source_table(added(windows))
    return table.loc[table["rank"] == 1, [*OF_HEAD, "share", "chance_share"]]


def source_tables(folder: Path) -> dict[str, pd.DataFrame]:
    """The tables sources and source_excess of a subject; none if no source was counted. folder: of the shards.

    sources: a row per head and token that is its source in some text: texts, and the means of share and chance_share
    over them. source_excess: a row per layer: share less chance of the heads' sources, mean over texts (or groups).
    """
    shards = list(tables_named(folder, "sources"))
    if not shards:
        return {}
    every = pa.concat_tables(shards).to_pandas()
    parts = every.groupby(["text", "layer", "head"])["part"].transform("count")
    every["texts"] = 1 / parts  # the parts of a text count as one text
    by_token = every.assign(**{name: every[name] * every["texts"] for name in ("share", "chance_share")})
    sums = by_token.groupby(OF_HEAD, as_index=False)[["texts", "share", "chance_share"]].sum()
    means = {name: sums[name] / sums["texts"] for name in ("share", "chance_share")}
    sources = sums.assign(**means).sort_values(
        ["layer", "head", "texts"], ascending=[True, True, False], kind="stable", ignore_index=True
    )
    every["excess"] = every["share"] - every["chance_share"]
    of_text = every.groupby(["text", "part", "group", "layer"])[["excess", "texts"]].mean().unstack("layer")
    groups = of_text.index.get_level_values("group").to_numpy()
    weights = of_text["texts"].mean(axis=1).to_numpy()
    names, by_group = means_of_groups(groups, of_text["excess"].to_numpy(), weights)
    low, high = interval_of_mean(by_group)
    excess = {
        "layer": of_text["excess"].columns.to_numpy(),
        "texts": len(names),
        "source_excess": by_group.mean(axis=0),
        "source_excess_low": np.asarray(low),
        "source_excess_high": np.asarray(high),
    }
    return {"sources": sources, "source_excess": pd.DataFrame(excess)}
