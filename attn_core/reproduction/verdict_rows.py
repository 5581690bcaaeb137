"""The table of verdicts: a row a corpus, model, control, effect of a claim, and combination of choices.

C4 and C5 have two effects, and so two rows, which share their verdict. A model's row also has what its untrained twins and
the shuffled text differ by. p is of each effect by itself; of several twins the largest, as the interval holds each of
theirs. Holm's correction is over all effects and models of a corpus within one combination, of twins and of shuffled texts
apart. All of this is our choice.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from attn_core.comparison.causes import Held, Kind, together
from attn_core.comparison.differences import Difference
from attn_core.findings.bars import BARS, BY_EFFECT
from attn_core.findings.verdicts import CLAIMS, TOPICS, effects_by_claim, verdict_on
from attn_core.models.controls import NAMES
from attn_core.numerics.sign_flips import holm
from attn_core.reproduction.against import AGAINST, NOT_COUNTED
from attn_core.reproduction.answers import Answer, answers, differences, p_of_differences
from attn_core.reproduction.choices import CHOICES, as_columns
from attn_core.reproduction.folder import Reading
from attn_core.reproduction.job import ReproductionSettings
from attn_core.reproduction.texts_read import bad_texts
from attn_core.similarity.strong_pairs import Settings

COMBINATION = ("measure", "share", "special", "unit", "layout")
COLUMNS = (
    "corpus", "model", "control", "seed", "claim", "effect_name", *COMBINATION, "texts", "effect", "chance", "low", "high",
    "units", "over", "verdict", "reason",
    *(f"{against}_{what}" for against in AGAINST for what in ("difference", "difference_low", "difference_high", "p", "p_holm")),
    *(outcome for _, outcome in AGAINST.values()),
)  # fmt: skip
Row = dict[str, Any]
Answers = Mapping[Settings, Answer]


def verdict_table(readings: Sequence[tuple[Path, Reading]], settings: ReproductionSettings) -> pd.DataFrame:
    """Columns `COLUMNS`; readings: of all corpora and models, each with its folder."""
    rows: list[Row] = []
    of_models: dict[tuple[str, str, str | None], list[tuple[Path, Reading]]] = {}
    for path, reading in readings:
        of_models.setdefault((reading.corpus, reading.model, reading.revision), []).append((path, reading))
    for of_model in of_models.values():
        rows += _of_model(of_model, settings)
    table = (
        pd.DataFrame(rows).reindex(columns=list(COLUMNS)).astype({"seed": "Int64", "texts": "Int64", "units": "Int64"})
    )
    for against in AGAINST:
        table[f"{against}_p_holm"] = _corrected(table, f"{against}_p")
    return table


def _of_model(readings: Sequence[tuple[Path, Reading]], settings: ReproductionSettings) -> Iterator[Row]:
    """The rows of one model and its controls, the model itself first."""
    known = [
        (
            reading,
            answers(path, (facts.layers, facts.heads), settings) if (facts := reading.finished) else {},
            path,
        )
        for path, reading in sorted(readings, key=lambda one: (one[1].control or "", one[1].seed or 0, one[1].layout))
    ]
    for reading, own, path in known:
        controls = {against: _controls(known, reading, kind) for against, (kind, _) in AGAINST.items()}
        for chosen in CHOICES:
            about: Row = {
                "corpus": reading.corpus, "model": reading.model, "control": reading.control or "none", "seed": reading.seed,
                **as_columns(chosen, reading.read.shown_layout),
            }  # fmt: skip
            if chosen not in own:
                yield from _without_answer(about, reading, path)
                continue
            beside = {
                against: _held(reading, own[chosen], [one[chosen] for one in others if chosen in one], kind, settings)
                for against, others in controls.items()
                if (kind := AGAINST[against][0])
            }
            yield from _of_answer(about, own[chosen], beside)


def _of_answer(about: Row, answer: Answer, beside: Mapping[str, Mapping[str, Row]]) -> Iterator[Row]:
    for claim, effects in effects_by_claim(answer.effects).items():
        verdict, reason = verdict_on(claim, effects, answer.basis)
        for one in effects:
            row = about | {
                "claim": claim, "effect_name": one.bars.effect, "texts": len(answer.texts), "verdict": verdict, "reason": reason,
            }  # fmt: skip
            if verdict != "not asked":
                row |= {"effect": one.value, "chance": one.chance, "low": one.low, "high": one.high}
                row |= {"units": one.units, "over": one.over}
                for of_kind in beside.values():
                    row |= of_kind.get(one.bars.effect, {})
            yield row


def _without_answer(about: Row, reading: Reading, path: Path) -> Iterator[Row]:
    """The rows of a choice that no text answers, each with the reason."""
    if reading.finished:
        verdict, reason = "not asked", _why_no_text(path)
    else:
        verdict, reason = NOT_COUNTED, reading.problem or "It is not counted to its end: the same command goes on."
    for bars in BARS:
        yield about | {
            "claim": bars.claim,
            "effect_name": bars.effect,
            "texts": 0,
            "verdict": verdict,
            "reason": reason,
        }


def _held(
    reading: Reading, own: Answer, others: Sequence[Answer], kind: Kind, settings: ReproductionSettings
) -> dict[str, Row]:
    """By effect, what an answer differs by from those of its controls of one kind."""
    against, outcome = next((name, word) for name, (of, word) in AGAINST.items() if of == kind)
    each = [made for other in others if (made := differences(own, other))]
    if not each:
        return {}
    tested = [p_of_differences(own, other, settings) for other in others]
    rows: dict[str, Row] = {}
    for claim in CLAIMS:
        names = [bars.effect for bars in BARS if bars.claim == claim]
        if not all(name in made for name in names for made in each):
            continue
        found = {name: together([Difference(BY_EFFECT[name], *made[name]) for made in each]) for name in names}
        held = Held(claim, TOPICS[claim], reading.model, kind, (NAMES[kind],), tuple(found.values()))
        for name, one in found.items():
            rows[name] = {
                f"{against}_difference": one.first - one.second,
                f"{against}_difference_low": one.low,
                f"{against}_difference_high": one.high,
                f"{against}_p": max((of[name] for of in tested if of), default=np.nan),
                outcome: held.outcome,
            }
    return rows


def _controls(known: Sequence[tuple[Reading, Answers, Path]], reading: Reading, kind: Kind) -> list[Answers]:
    """What the controls of a model say in its layout; none of a control."""
    if reading.control is not None:
        return []
    layout = reading.layout
    return [own for other, own, _ in known if other.control == kind and other.read.shown_layout == layout and own]


def _corrected(table: pd.DataFrame, name: str) -> pd.Series:
    corrected = pd.Series(np.nan, index=table.index)
    tested = table[table[name].notna()]
    for _, group in tested.groupby(["corpus", *COMBINATION], dropna=False):
        corrected[group.index] = holm(group[name].to_numpy())
    return corrected


def _why_no_text(path: Path) -> str:
    problems = bad_texts(path)["problem"]
    if problems.empty:
        return "This choice leaves no text two tokens to pair."
    return f"No text could be read so: {problems.iloc[0]}"
