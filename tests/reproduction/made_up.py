"""Reproductions that are shown, not counted: the sample under other names."""

import shutil
from pathlib import Path
from typing import Any

import pandas as pd
from attn_core.reproduction.opened import SAMPLES, open_reproduction

from attn_core.runs import folder as files

SAMPLE = SAMPLES / "minilm-on-sample-texts"


def copied(folder: Path, **tables: Any) -> Path:
    """The sample in a folder, with other tables in place of its own."""
    shutil.copytree(SAMPLE, folder)
    kept = files.read_folder(folder / files.TABLES) | {
        f"{table}.parquet": frame.to_parquet() for table, frame in tables.items()
    }
    files.write_folder(folder / files.TABLES, kept)
    return folder


def of_four_models(folder: Path) -> Path:
    """The sample's model four times, three of them under other names."""
    sample, made = open_reproduction(SAMPLE), {}
    for name in ("verdicts", "curves", "readings"):
        table = getattr(sample, name)
        others = (table.assign(model=f"org/model-{at}-base-uncased") for at in (2, 3, 4))
        made[name] = pd.concat([table, *others], ignore_index=True)
    return copied(folder, **made)
