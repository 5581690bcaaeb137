"""The tables of a reproduction: of verdicts, a row a corpus, model, control, effect of a claim, and combination of choices; of
the specification curves of these effects, each as a whole; and of the readings, how many texts each counted and which it could
not.

A model's row of verdicts also has what its baselines differ by: the networks that never learned, and the shuffled text. All of
this is our choice.

A curve is that of the paper's measure: the choices that the paper leaves open. What a choice explains of it is the share of the
sum of squares between its levels.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from attn_core.comparison.causes import language, learned, together
from attn_core.comparison.differences import Difference
from attn_core.findings.bars import BARS
from attn_core.findings.verdicts import effects_by_row, verdict_on
from attn_core.models.controls import CONTROLS, NAMES, Control
from attn_core.models.files import TWINS
from attn_core.reproduction.answers import OfTexts, answers, differences
from attn_core.reproduction.choices import (
    CHOICES,
    DIMENSIONS,
    FACTORS,
    NOT_COUNTED,
    PAPERS,
    SUBJECT,
    WindowChoice,
    as_columns,
    combinations,
)
from attn_core.reproduction.folder import Reading
from attn_core.study.opened import shard_tables

COLUMNS = (
    "corpus", "model", "control", "seed", "claim", "effect_name", *DIMENSIONS, "texts", "effect", "chance", "low", "high",
    "units", "over", "verdict", "unclear", "reason",
    *(f"{control}_{what}" for control in CONTROLS for what in ("difference", "difference_low", "difference_high")),
    "learned", "language",
)  # fmt: skip
TEXTS = pa.schema(
    [("text", pa.int64()), ("part", pa.int64()), ("name", pa.string()), ("problem", pa.string()),
     ("windows", pa.int64()), ("tokens", pa.int64())]
)  # fmt: skip
Row = dict[str, Any]
Answers = Mapping[WindowChoice, OfTexts]
CURVES = (
    "corpus", "model", "control", "seed", "claim", "effect_name", "combinations", "median", "chance", *FACTORS,
)  # fmt: skip


def verdict_tables(readings: Sequence[tuple[Path, Reading]]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The verdicts, columns `COLUMNS`, and the curves of the paper's measure as wholes, columns `CURVES`.

    readings: of all corpora and models, each with its folder.
    """
    verdicts: list[pd.DataFrame] = []
    curves: list[Row] = []
    of_models: dict[tuple[str, str, str | None], list[tuple[Path, Reading]]] = {}
    for path, reading in readings:
        of_models.setdefault((reading.corpus, reading.model, reading.revision), []).append((path, reading))
    for of_model in of_models.values():
        known = [
            (reading, answers(path, (facts.layers, facts.heads)) if (facts := reading.finished) else {}, path)
            for path, reading in sorted(
                of_model, key=lambda one: (one[1].control or "", one[1].seed or 0, one[1].layout)
            )
        ]
        rows = (
            pd.DataFrame(_of_model(known))
            .reindex(columns=list(COLUMNS))
            .astype({"seed": "Int64", "texts": "Int64", "units": "Int64"})
        )
        verdicts.append(rows)
        for _, of_subject in rows.groupby(["control", "seed"], dropna=False, sort=False):
            curves += curve_rows(of_subject)
    return pd.concat(verdicts, ignore_index=True), pd.DataFrame(curves, columns=list(CURVES)).astype({"seed": "Int64"})


def _of_model(known: Sequence[tuple[Reading, Answers, Path]]) -> Iterator[Row]:
    """The rows of one model and its controls, the model itself first."""
    for reading, own, path in known:
        controls = {control: _controls(known, reading, control) for control in CONTROLS}
        for chosen in CHOICES:
            about: Row = {
                "corpus": reading.corpus, "model": reading.model, "control": reading.control or "none", "seed": reading.seed,
                **as_columns(chosen, reading.read.shown_layout),
            }  # fmt: skip
            if chosen not in own:
                yield from _without_answer(about, reading, path)
                continue
            beside = {control: [one[chosen] for one in others if chosen in one] for control, others in controls.items()}
            yield from _rows_of(about, own[chosen], beside)


def _rows_of(about: Row, answer: OfTexts, beside: Mapping[Control, Sequence[OfTexts]]) -> Iterator[Row]:
    """The rows of one combination. beside: the same in each baseline, in several twins."""
    found = {control: _differences(answer, others) for control, others in beside.items()}
    nulls = {
        f"{NAMES[null]} {number}": effects_by_row(other.effects)
        for null in TWINS
        for number, other in enumerate(beside.get(null, ()), 1)
    }
    for name, one in effects_by_row(answer.effects).items():
        there = {control: of[name] for control, of in found.items() if name in of}
        judgement = verdict_on(
            one, answer.basis, {null: by_row[name] for null, by_row in nulls.items()}, about["control"] in TWINS
        )
        row = about | {
            "claim": one.bars.claim, "effect_name": name, "texts": len(answer.texts), "verdict": judgement.verdict,
            "unclear": judgement.unclear, "reason": judgement.reason,
        }  # fmt: skip
        if judgement.verdict != "not asked":
            row |= {"effect": one.value, "chance": one.chance, "low": one.low, "high": one.high}
            row |= {"units": one.units, "over": one.over}
            for control, difference in there.items():
                row |= {
                    f"{control}_difference": difference.first - difference.second,
                    f"{control}_difference_low": difference.low,
                    f"{control}_difference_high": difference.high,
                }
            outcomes = {control: difference.outcome for control, difference in there.items()}
            if outcomes:
                row |= {"learned": learned(outcomes), "language": language(outcomes)}
        yield row


def _differences(own: OfTexts, others: Sequence[OfTexts]) -> dict[str, Difference]:
    """By effect, what an answer differs by from those of its baselines of one kind, together."""
    each = [made for other in others if (made := differences(own, other))]
    return {
        bars.effect: together([Difference(bars, *made[bars.effect]) for made in each])
        for bars in BARS
        if each and all(bars.effect in made for made in each)
    }


def _without_answer(about: Row, reading: Reading, path: Path) -> Iterator[Row]:
    """The rows of a choice that no text answers, each with the reason."""
    if reading.finished:
        verdict, reason = "not asked", _why_no_text(path)
    else:
        verdict, reason = NOT_COUNTED, reading.problem or "It is not counted to its end: the same command goes on."
    for bars in BARS:
        yield about | {
            "claim": bars.claim, "effect_name": bars.effect, "texts": 0, "verdict": verdict, "unclear": "", "reason": reason,
        }  # fmt: skip


def _controls(known: Sequence[tuple[Reading, Answers, Path]], reading: Reading, control: Control) -> list[Answers]:
    """What the controls of a kind say in a model's layout; none of a control."""
    if reading.control is not None:
        return []
    layout = reading.layout
    return [own for other, own, _ in known if other.control == control and other.read.shown_layout == layout and own]


def _why_no_text(path: Path) -> str:
    problems = _texts(path)["problem"].dropna()
    if problems.empty:
        return "This choice leaves no text two tokens to pair."
    return f"No text could be read so: {problems.iloc[0]}"


def curve_rows(verdicts: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """A row an effect of one subject: columns `CURVES`. verdicts: its rows; of the measure, the part is over all measures."""
    for bars in BARS:
        every = combinations(verdicts, bars.effect).dropna(subset="effect")
        own = every[every["measure"] == PAPERS]
        if own.empty:
            continue
        yield {
            **own.iloc[0][[*SUBJECT, "claim", "effect_name"]].to_dict(),
            "combinations": len(own),
            "median": own["effect"].median(),
            "chance": own["chance"].median(),
            **{name: explained(every if name == "by_measure" else own, by) for name, by in FACTORS.items()},
        }


def explained(rows: pd.DataFrame, by: Sequence[str]) -> float:
    """The share of the sum of squares of the effects that lies between the levels of a choice; NaN where it has one level."""
    levels = rows.groupby(list(by))["effect"].transform("mean")
    total = ((rows["effect"] - rows["effect"].mean()) ** 2).sum()
    if len(rows.drop_duplicates(list(by))) < 2 or total == 0:
        return np.nan
    return float(((levels - rows["effect"].mean()) ** 2).sum() / total)


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


def _texts(path: Path) -> pd.DataFrame:
    tables = [table.cast(TEXTS) for table in shard_tables(path, "texts")]
    return pa.concat_tables(tables).to_pandas() if tables else TEXTS.empty_table().to_pandas()
