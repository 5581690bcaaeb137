"""How often copies of a model, each taken for the model itself, are *supported* and *more than untrained*, in %.

python -m attn_core study TEXTS --controls untrained shuffled_weights --seeds 20 --out STUDY
python -m tests.claims.trial STUDY
"""

import sys
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import pyarrow as pa

from attn_core.claims.effects import Effects
from attn_core.claims.table import claim_rows
from attn_core.measures.tally import Tally
from attn_core.models.baselines import SEEDS, Control
from attn_core.models.files import COPIES
from attn_core.numerics.leave_one_out import GROUPS, inclusion
from attn_core.runs.shards import numbers, tables_named
from attn_core.study.by_text import Texts, read_texts
from attn_core.study.claims import effects_by_layout
from attn_core.study.opened import Record, Study, subject_path
from attn_core.study.settings import DEFAULT, Variant
from attn_core.study.shard_tables import add_counts, table_of

SIZES = (4, 10)  # texts of a corpus


def copies_as_models(by_kind: Mapping[Control, Sequence[Effects]]) -> pd.DataFrame:
    """The claims of every copy as a model, with the next `SEEDS` copies of each kind as its baselines.

    by_kind: more than `SEEDS` copies of a kind, all of the same texts.
    """
    rows = []
    for kind, copies in by_kind.items():
        for number, own in enumerate(copies):
            others = {
                name: [some[(number + step) % len(some)] for step in range(1, SEEDS + 1)]
                for name, some in by_kind.items()
            }
            rows.append(claim_rows(own, others).assign(kind=kind, seed=number))
    return pd.concat(rows, ignore_index=True)


def taken_for_learned(rows: pd.DataFrame) -> pd.Series:
    """By effect, the share of the rows that are supported and more than untrained."""
    return ((rows["verdict"] == "supported") & (rows["more_than_untrained"] == "yes")).groupby(rows["effect"]).mean()


def drawn(study: Study, corpora: int) -> pd.DataFrame:
    """The rows of `copies_as_models` in corpora of each of `SIZES`. study: of copies, under the default settings."""
    by_kind: dict[Control, list[Record]] = {
        kind: [one for one in study.records if one.subject.baseline == kind] for kind in COPIES
    }
    numbers = read_texts(subject_path(study.folder, study.own[0])).counted["text"].unique()
    rng = np.random.default_rng(0)
    rows = []
    for texts in np.repeat(SIZES, corpora):
        only = np.sort(rng.choice(numbers, texts, replace=False))
        rows.append(
            copies_as_models(
                {kind: [_effects_in(study, one, only) for one in copies] for kind, copies in by_kind.items()}
            )
        )
    return pd.concat(rows, ignore_index=True)


def _effects_in(study: Study, copy: Record, only: np.ndarray) -> Effects:
    """The effects of a copy in some texts, by their numbers."""
    path, tally = subject_path(study.folder, copy.subject), Tally(GROUPS)
    every = read_texts(path).rows
    texts = Texts(every[every["text"].isin(only)])
    for table in tables_named(path, table_of("windows", texts.few)):
        if len(rows := table.filter(pa.array(np.isin(numbers(table["text"]), only)))):
            add_counts(tally, rows, inclusion(numbers(rows["group"])))
    return effects_by_layout(study.folder, copy, DEFAULT, texts, tally)[copy.subject.layout][Variant()]


def in_percent(rows: pd.DataFrame) -> pd.DataFrame:
    """A row an effect: how many of 100 rows are supported, by kind of copy; more than untrained; and both."""
    supported = (rows["verdict"] == "supported").groupby([rows["effect"], rows["kind"]]).mean().unstack()
    more = (rows["more_than_untrained"] == "yes").groupby(rows["effect"]).mean()
    return 100 * supported.assign(more_than_untrained=more, both=taken_for_learned(rows))


if __name__ == "__main__":
    print(in_percent(drawn(Study.open(sys.argv[1]), corpora=50)).round(1).to_string())
