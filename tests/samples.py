"""The studies that come with the project, counted anew: `make samples`, or `python -m tests.samples [RUN ...]`.

RUN: a folder of `docs/pretrain.py TEXTS RUN --seed N --steps 1536`, a training each; without one, from-noise stays as
it is. Of every study the tables stay, as Parquet alone; of trainings those that the page shows, with
the first copies.
"""

import json
import sys
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

import attn_core
from attn_core.__main__ import main
from attn_core.io.exports import to_parquet
from attn_core.runs import folder as run_folder
from attn_core.study.opened import Study

SHIPPED = Path(attn_core.__file__).parent / "study" / "sample"
COUNTED = ("--controls", "untrained", "shuffled_weights", "shuffled_text", "--sources")
MINILM = ("sample_texts", "--models", attn_core.ModelSpec().name, "--every-setting", "--stable-roles", "--windows", "4")
TRAINED = ("--limit", "16", "--entropy")
STEPS = ("0", "256", "512", "1024", "1536")
OF_TRAININGS = (
    "subjects", "claims", "heads", "layers", "entropies", "texts", "bad_texts", "drift", "source_excess",
)  # fmt: skip


def ship(study: Study, folder: Path) -> None:
    """Put the tables of a study into a folder, in place of those of an earlier one."""
    names = [name.removesuffix(".parquet") for name in study.stored if name.endswith(".parquet")]
    about = json.loads(study.stored["provenance.json"])
    tables = {name: study.table(name) for name in names}
    if study.has("drift"):
        kept = {(one.name, one.step) for one in (*study.own, *study.first_copies)}
        about["subjects"] = [
            one for one in about["subjects"] if (one["subject"]["name"], one["subject"]["step"]) in kept
        ]
        tables = {name: _of(kept, tables[name]) for name in OF_TRAININGS if name in tables}
    made = {f"{name}.parquet": to_parquet(table, about) for name, table in tables.items()}
    made["provenance.json"] = json.dumps(about, indent=2).encode()
    manifest = json.loads(study.files()[run_folder.MANIFEST])
    manifest["tables"] = {name: sha256(data).hexdigest() for name, data in made.items()}
    run_folder.remove(folder)
    (folder / run_folder.TABLES).mkdir(parents=True)
    for name, data in made.items():
        (folder / run_folder.TABLES / name).write_bytes(data)
    (folder / run_folder.MANIFEST).write_bytes(run_folder.to_json({**manifest, "shards": {}}))


def _of(kept: set[tuple[str, int | None]], table: pd.DataFrame) -> pd.DataFrame:
    """The rows of some subjects, each a name and a step."""
    steps = table["step"].astype(object).where(table["step"].notna(), None)
    return table[[one in kept for one in zip(table["subject"], steps, strict=True)]]


def samples(runs: list[str]) -> None:
    """Count and ship both studies."""
    trained = (
        (f"{runs[0]}/aside", "--models", runs[0], *TRAINED, "--checkpoints", *runs, "--steps", *STEPS) if runs else ()
    )
    with TemporaryDirectory() as folder:
        for name, options in (("minilm-on-sample-texts", MINILM), ("from-noise", trained)):
            out = Path(folder) / name
            if options and main(["study", *options, *COUNTED, "--out", str(out)]) == 0:
                ship(Study.open(out), SHIPPED / name)


if __name__ == "__main__":
    samples(sys.argv[1:])
