"""How many texts each reading counted, and which it could not."""

from pathlib import Path

import pandas as pd
import pyarrow as pa

from attn_core.reproduction.folder import Reading
from attn_core.study.opened import shard_tables


def readings_table(readings: list[tuple[Path, Reading]]) -> pd.DataFrame:
    """One row a reading: corpus, model, revision, control, seed, layout, layers, heads, texts, bad_texts, windows, problem."""
    rows = []
    for path, reading in readings:
        texts, facts = _texts(path), reading.facts
        bad = int(texts["problem"].notna().sum())
        rows.append(
            {
                "corpus": reading.corpus,
                "model": reading.model,
                "revision": facts.revision if facts else reading.revision,
                "control": reading.control or "none",
                "seed": reading.seed,
                "layout": reading.read.shown_layout,
                "layers": facts.layers if facts else None,
                "heads": facts.heads if facts else None,
                "texts": len(texts) - bad,
                "bad_texts": bad,
                "windows": int(texts.loc[texts["problem"].isna(), "windows"].sum()),
                "problem": reading.problem,
            }
        )
    whole = ("seed", "layers", "heads")
    return pd.DataFrame(rows).astype(dict.fromkeys(whole, "Int64"))


def bad_texts(path: Path) -> pd.DataFrame:
    """The texts that a reading could not count: text, name, problem."""
    texts = _texts(path)
    return texts.loc[texts["problem"].notna(), ["text", "name", "problem"]]


def _texts(path: Path) -> pd.DataFrame:
    tables = [table.cast(_TEXTS) for table in shard_tables(path, "texts")]
    return pa.concat_tables(tables).to_pandas() if tables else _TEXTS.empty_table().to_pandas()


_TEXTS = pa.schema(
    [("text", pa.int64()), ("part", pa.int64()), ("name", pa.string()), ("problem", pa.string()),
     ("windows", pa.int64()), ("tokens", pa.int64())]
)  # fmt: skip
