"""The folder of a series: what lies where. A step is written whole or not at all, so that a series may be cut off anywhere.

series.json        model, texts, settings, versions: what the numbers depend on
steps/00000050/    step.json, heads.parquet, layers.parquet, ranks.safetensors: see `Step`
studies/00000050/  the study of that step, where one was made; 00000050-permuted/: of its permuted twin; untrained/
entropies/00000050/  how sure of a word that step is at each layer, where it was asked
tables/            the tables of all steps, CSV and Parquet; there once the last step is
progress.json, lock  as in a study
"""

import io
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
import safetensors.numpy

from attn_core.io.tables import to_parquet
from attn_core.models.files import Twin
from attn_core.runs import folder as files
from attn_core.runs.kinds import SERIES_MANIFEST

MANIFEST, STEPS, STUDIES, ENTROPIES = SERIES_MANIFEST, "steps", "studies", "entropies"
FACTS = "step.json"
NUMBER = re.compile(r"\d{8,}")


@dataclass(frozen=True)
class Facts:
    """What a step was: its number, its name, the SHA-256 or commit of its weights, and whose tokenizer it read with."""

    number: int
    name: str
    revision: str
    tokenizer: str


@dataclass(frozen=True, eq=False)
class Step:
    """What is known of one step of a training.

    heads, layers: the tables of a text or of a study. ranks: (layer, head, pair) for each window that drift is measured
    on, the similarities of its pairs by rank, doubled so that the mean of two ranks is a whole number. more: tables that not
    every series has, by name: claims (`gathered.claims_table`), entropies (`interventions.tables.entropies_table`).
    """

    facts: Facts
    heads: pd.DataFrame
    layers: pd.DataFrame
    ranks: tuple[np.ndarray, ...]
    more: Mapping[str, pd.DataFrame] = field(default_factory=dict)


def write_step(out: Path, step: Step) -> None:
    """Keep a step, in place of an older one of its number."""
    ranks = {str(window): np.ascontiguousarray(values) for window, values in enumerate(step.ranks)}
    contents = {
        FACTS: json.dumps(asdict(step.facts), ensure_ascii=False).encode(),
        "ranks.safetensors": safetensors.numpy.save(ranks),
    }
    for name, table in {"heads": step.heads, "layers": step.layers, **step.more}.items():
        contents[f"{name}.parquet"] = to_parquet(table, {})
    files.write_folder(step_path(out, step.facts.number), contents)


def read_step(path: Path) -> Step:
    """A step that `write_step` has kept. Raises DamagedError where it is not what was written."""
    contents = files.read_folder(path)
    ranks = safetensors.numpy.load(contents["ranks.safetensors"])
    tables = {
        name.removesuffix(".parquet"): pd.read_parquet(io.BytesIO(data))
        for name, data in contents.items()
        if name.endswith(".parquet")
    }
    windows = tuple(ranks[str(window)] for window in range(len(ranks)))
    return Step(Facts(**json.loads(contents[FACTS])), tables.pop("heads"), tables.pop("layers"), windows, tables)


def facts_of(path: Path) -> Facts | None:
    """What a whole step says of itself; None where there is none, or a damaged one."""
    return Facts(**json.loads(files.read_file(path, FACTS))) if files.is_whole(path) else None


def step_path(out: Path, number: int) -> Path:
    return out / STEPS / f"{number:08d}"


def study_path(out: Path, number: int) -> Path:
    return out / STUDIES / f"{number:08d}"


def twin_path(out: Path, number: int, kind: Twin) -> Path:
    """Where the study of a step's twin is; before any training all steps are the same network."""
    return out / STUDIES / (kind if kind == "untrained" else f"{number:08d}-{kind}")


def entropies_path(out: Path, number: int) -> Path:
    return out / ENTROPIES / f"{number:08d}"


def step_paths(out: Path) -> Iterator[Path]:
    """The steps in their order, whole or damaged; what is called otherwise is none (a file manager's "00000050 (copy)")."""
    yield from sorted(path for path in (out / STEPS).glob("[0-9]*") if NUMBER.fullmatch(path.name) and path.is_dir())
