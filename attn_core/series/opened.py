"""A series, opened for reading, finished or not."""

import io
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from attn_core.errors import InputError
from attn_core.io.paths import shown
from attn_core.io.tables import markdown, table_files
from attn_core.runs import folder as files
from attn_core.runs.results import Results
from attn_core.series.folder import read_step, step_paths
from attn_core.series.gathered import claim_cells, gathered_tables


class Series(Results):
    """Several steps of a training. Its tables are those of `gathered`."""

    kind = "series"

    @classmethod
    def _read(cls, folder: Path, of: str) -> Mapping[str, bytes]:
        """The tables where they are there and no step is newer; else of the steps that are there, so far without provenance."""
        return _finished(folder, of) or _gathered(folder)

    @cached_property
    def tables(self) -> dict[str, pd.DataFrame]:
        """All of them by name."""
        names = [name.removesuffix(".parquet") for name in self.stored if name.endswith(".parquet")]
        return {name: self.table(name) for name in names}

    @property
    def numbers(self) -> list[int]:
        """The steps, rising."""
        return self.table("steps")["step"].tolist()

    def files(self) -> dict[str, bytes]:
        """Every table as CSV and Parquet with its provenance, by file name."""
        return table_files(self.tables, self.provenance)

    @cached_property
    def provenance(self) -> dict[str, Any]:
        """What it takes to make the same numbers again."""
        texts = self.manifest["texts"]
        return {
            "model": self.manifest["model"],
            "steps": " ".join(map(str, self.numbers)),
            "texts_sha256": texts["fingerprint"],
            "drift_windows": texts["probes"],
            "drift_tokens": texts["tokens"],
            **self.manifest["settings"],
            "program_version": self.manifest["program"]["version"],
        }


def open_series(folder: str | Path) -> Series:
    """Open a series of a training, whether its last step is there yet or not.

    Returns a `Series`, whose tables are pandas frames by name. Raises InputError where the folder holds none, and where a
    step of it is damaged.

    >>> from pathlib import Path
    >>> series = attn_core.open_series(Path(attn_core.__path__[0], "series", "sample", "from-noise"))
    >>> series.numbers
    [0, 64, 256, 512, 1024, 1536, 2048, 3072]
    >>> series.tables["layers"][["step", "layer", "mean_distance", "chance_mean_distance"]].round(1).head(2)
       step  layer  mean_distance  chance_mean_distance
    0     0      1           77.1                  77.2
    1     0      2           77.3                  77.2
    """
    return Series.open(folder)


def _finished(folder: Path, of: str) -> dict[str, bytes] | None:
    place = folder / files.TABLES
    if not files.is_whole(place, of):
        return None
    stored = files.read_folder(place)
    known = set(pd.read_parquet(io.BytesIO(stored["steps.parquet"]))["step"])
    return stored if all(int(path.name) in known for path in step_paths(folder)) else None


def _gathered(folder: Path) -> dict[str, bytes]:
    steps = tuple(map(read_step, step_paths(folder)))
    if not steps:
        raise InputError(f"The series in {shown(folder)} has no step yet: wait for the first.")
    return table_files(gathered_tables(steps), {})


def in_markdown(series: Series) -> str:
    """What a terminal shows: a row a step, and a row a row of the claims, where they are known."""
    return "\n\n".join(
        [_steps(series), *([markdown(*map(list, learned_rows(series)))] if "learned" in series.tables else [])]
    )


def loss(entropies: pd.DataFrame) -> pd.DataFrame:
    """How little the last layer gives to the true word, in bits, by step: cross_entropy, its bounds, chance_entropy."""
    return entropies[entropies["layer"] == entropies["layer"].max()].set_index("step")


def learned_rows(series: Series) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """The head and the rows of a table: each effect at the first step and at the last, and since when it is learned."""
    cells = claim_cells(series.tables["claims"]).groupby("effect", sort=False)
    bits = loss(series.tables["entropies"])["cross_entropy"] if "entropies" in series.tables else {}
    rows = []
    for row in series.tables["learned"].itertuples():
        first, last = (cells.get_group(row.effect).iloc[at] for at in (0, -1))
        since = "" if pd.isna(row.since_step) else f"{row.since_step:,.0f}"
        there = f"{bits[row.since_step]:.2f}" if since and len(bits) else ""
        rows.append((last["name"], first["number"], last["told"], last["verdict"], last["learned"], since, there))
    ends = (f"step {number:,}" for number in (series.numbers[0], series.numbers[-1]))
    return ("row", *ends, "verdict", "learned", "since step", "loss there, bits"), tuple(rows)


def _steps(series: Series) -> str:
    """The mean distance of strong pairs over its chance level, and the drift, both by layer; the loss; the roles."""
    layers, roles = series.tables["layers"], series.tables["roles"]
    reach = layers["mean_distance"] / layers["chance_mean_distance"]
    drift = series.tables["drift"].groupby(["step", "layer"], as_index=False)["drift"].mean()
    bits = loss(series.tables["entropies"])["cross_entropy"] if "entropies" in series.tables else {}
    rows = []
    for number in series.numbers:
        numbers = reach[layers["step"] == number], drift.loc[drift["step"] == number, "drift"]
        of_step = roles[(roles["step"] == number) & (roles["heads"] > 0)]
        named = ", ".join(f"{heads} {role}" for role, heads in zip(of_step["role"], of_step["heads"], strict=True))
        columns = [" ".join(f"{value:.2f}" for value in values) for values in numbers]
        rows.append([number, *columns, *([f"{bits[number]:.2f}"] if len(bits) else []), named])
    head = [
        "step",
        "mean distance, times chance, by layer",
        "drift, by layer",
        *(["loss, bits"] if len(bits) else []),
        "roles",
    ]
    return markdown(head, rows)
