"""Each text of a subject alone: its size and the effects of the claims, and some statistics of every head."""

import math
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from attn_core.claims.claim import CLAIMS
from attn_core.claims.counted import Counted
from attn_core.claims.effects import effects_of
from attn_core.measures.few_pairs import MIN_PAIRS
from attn_core.measures.frames import head_frame
from attn_core.measures.statistics import BY_NAME, statistic_columns
from attn_core.measures.tally import Tally
from attn_core.numerics.leave_one_out import LEAST
from attn_core.runs.shards import tables_named
from attn_core.study.opened import Record
from attn_core.study.pooled import Texts, add_counts, windows_of

BY_HEAD = tuple(
    BY_NAME[name]
    for name in (
        "mean_distance", "same_sentence_share", "near_share", "nearby_share", "repetition_share", "separator_share",
        "length_share", "noise_rate", "separator_attention", "attention_spread",
    )
)  # fmt: skip
MOST = 200  # texts of the table by head, evenly spaced in the corpus
SHORT = f"too short: no window has {MIN_PAIRS} strong pairs a head"


def text_tables(folder: Path, record: Record, texts: Texts, by_head: bool) -> dict[str, pd.DataFrame]:
    """The tables of single texts by name: texts and, where asked for, text_heads.

    texts: a row per text, with the effects of the windows that count; an effect that the text cannot answer is empty.
    text_heads: a row per text and head, of at most `MOST` texts. folder: of the shards.
    """
    assert record.model is not None  # it is finished
    facts, effects, frames = _facts(texts), list[dict[str, float]](), list[pd.DataFrame]()
    step = -(-int((facts["windows"] > 0).sum()) // MOST)
    for at, rows in enumerate(_of_each_text(tables_named(folder, windows_of(texts)))):
        number, tally = rows["text"][0].as_py(), Tally()
        add_counts(tally, rows, np.ones((1, len(rows))))
        # The number of texts is no reason here: a text answers for itself alone.
        of_text = effects_of(Counted(tally, *record.shape, np.ones(LEAST), texts.few))
        known = {name: np.nan if effect.reason else effect.value for name, effect in of_text.items()}
        effects.append({"text": number, **known})
        if by_head and at % step == 0:
            columns = statistic_columns(tally, BY_HEAD, math.prod(record.shape))
            of_heads = head_frame({name: column.astype(np.float32) for name, column in columns.items()}, *record.shape)
            frames.append(of_heads.assign(text=number)[["text", *of_heads]])
    names = ["text", *(claim.effect for claim in CLAIMS)]
    of_claims = pd.DataFrame(effects, columns=names, dtype=float).astype({"text": int})
    tables = {"texts": facts.merge(of_claims, "left")}
    return tables | ({"text_heads": pd.concat(frames, ignore_index=True)} if frames else {})


def _facts(texts: Texts) -> pd.DataFrame:
    """Name, language, problem and size of each text; the windows are those that count."""
    rows = texts.rows.assign(every=texts.rows[["windows", "short_windows"]].sum(axis=1))
    rows["windows"] = rows["windows"].where(rows["few"].eq(texts.few), 0)
    facts = rows.groupby("text", as_index=False).agg(
        name=("name", "first"), language=("language", "first"), problem=("problem", "first"),
        windows=("windows", "sum"), short_windows=("every", "sum"), tokens=("tokens", "sum"),
    )  # fmt: skip
    short = facts["windows"].eq(0) & facts["problem"].isna()
    problem = facts["problem"].where(facts["windows"].eq(0)).mask(short, SHORT)
    facts = facts.assign(problem=problem, short_windows=facts["short_windows"] - facts["windows"])
    whole = dict.fromkeys(("windows", "short_windows", "tokens"), int)
    return facts.astype({**whole, "language": "string", "problem": "string"})


def _of_each_text(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """The rows of each text in order; those of a long text may come from several tables."""
    rest: pa.Table | None = None
    for table in tables:
        every = table if rest is None else pa.concat_tables([rest, table])
        *whole, last = pc.unique(every["text"])
        yield from (every.filter(pc.equal(every["text"], text)) for text in whole)
        rest = every.filter(pc.equal(every["text"], last))
    if rest is not None:
        yield rest
