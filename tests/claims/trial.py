"""How often copies of a model, each taken for the model itself, are *supported* and *more than untrained*.

    python -m attn_core study TEXTS --controls untrained shuffled_weights --seeds 20 --out STUDY
    python -m tests.claims.trial STUDY

draws corpora from the texts of a study, and prints the share of each claim.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from attn_core.claims.claim import CLAIMS
from attn_core.claims.table import Effects, claim_rows
from attn_core.io.tables import markdown
from attn_core.measures.tally import Tally
from attn_core.models.controls import SEEDS, Control
from attn_core.models.files import COPIES
from attn_core.numerics.leave_one_out import GROUPS
from attn_core.runs.shards import numbers, tables_named
from attn_core.study.claims import SubjectEffects
from attn_core.study.opened import Study
from attn_core.study.pooled import Texts, add_counts, read_texts, windows_of
from attn_core.study.record import Record, subject_path
from attn_core.study.settings import DEFAULT

SIZES = (4, 10)  # texts of a corpus


def copies_as_models(by_kind: Mapping[Control, Sequence[Effects]]) -> pd.DataFrame:
    """The rows of the claims of every copy beside the next `SEEDS` of its own kind, and of every other one.

    by_kind: untrained, shuffled_weights; each copy in the same texts, more than `SEEDS` of a kind.
    """
    rows = []
    for kind, copies in by_kind.items():
        for number, own in enumerate(copies):
            others = {
                name: [(own, some[(number + step) % len(some)]) for step in range(1, SEEDS + 1)]
                for name, some in by_kind.items()
            }
            rows.append(claim_rows(own, others).assign(kind=kind, seed=number))
    return pd.concat(rows, ignore_index=True)


def taken_for_learned(rows: pd.DataFrame) -> pd.Series:
    """By effect, the share of the rows that are supported and more than untrained."""
    return ((rows["verdict"] == "supported") & (rows["more_than_untrained"] == "yes")).groupby(rows["effect"]).mean()


@dataclass(frozen=True, eq=False)
class ReadCopy:
    """A copy of a model in the texts of a study. windows: the counts of each window."""

    out: Path
    record: Record
    texts: Texts
    windows: pa.Table

    @classmethod
    def read(cls, out: Path, record: Record) -> "ReadCopy":
        path = subject_path(out, record.subject)
        texts = read_texts(path)
        return cls(out, record, texts, pa.concat_tables(list(tables_named(path, windows_of(texts)))))

    def effects(self, only: np.ndarray) -> Effects:
        """The effects in a corpus of some of the texts, by their numbers."""
        tally, effects = Tally(GROUPS), SubjectEffects(self.out, self.record, DEFAULT)
        add_counts(tally, self.windows.filter(pa.array(np.isin(numbers(self.windows["text"]), only))))
        effects.add_up(Texts(self.texts.rows[self.texts.rows["text"].isin(only)]), tally)
        (counted,) = effects.by_layout[self.record.subject.layout].values()
        return counted.effects


def drawn(study: Study, corpora: int) -> pd.DataFrame:
    """The rows of `copies_as_models` in corpora of each of `SIZES`. study: of copies, under the default settings."""
    by_kind: dict[Control, list[ReadCopy]] = {
        kind: [ReadCopy.read(study.folder, one) for one in study.records if one.subject.baseline == kind]
        for kind in COPIES
    }
    numbered = by_kind["untrained"][0].texts.counted["text"].unique()
    rng, rows = np.random.default_rng(0), []
    for texts in SIZES:
        for _ in range(corpora):
            only = rng.choice(numbered, texts, replace=False)
            found = {kind: [copy.effects(only) for copy in copies] for kind, copies in by_kind.items()}
            rows.append(copies_as_models(found))
    return pd.concat(rows, ignore_index=True)


def in_percent(rows: pd.DataFrame) -> str:
    """A row a claim: how many of 100 rows are supported, by kind of copy; more than untrained; and both."""
    shares = [
        *(_share(rows[rows["kind"] == kind], "verdict", "supported") for kind in COPIES),
        _share(rows, "more_than_untrained", "yes"),
        taken_for_learned(rows),
    ]
    cells = [[claim.name, *(f"{100 * one[claim.effect]:.1f}" for one in shares)] for claim in CLAIMS]
    return markdown(
        ["claim", *(f"supported, {name}" for name in COPIES.values()), "more than untrained", "both"], cells
    )


def _share(rows: pd.DataFrame, column: str, says: str) -> pd.Series:
    return (rows[column] == says).groupby(rows["effect"]).mean()


if __name__ == "__main__":
    print(in_percent(drawn(Study.open(sys.argv[1]), corpora=50)))
