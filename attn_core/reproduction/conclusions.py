"""What a reproduction says, row by row of the claims: the verdict that most choices give, whether it is learned or language.

A cell of the grid is a row of a claim in one subject: a model, or a control of it (twins of several seeds together). Its
verdict is that of more than half of the combinations of the paper's measure, the scalar product; what other measures say, our
extension, stands beside it and is never added. Its numbers are those of our usual choice, which the other pages begin with.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import pandas as pd

from attn_core.comparison.causes import LANGUAGE, LEARNED, NOT_ASKED, Cause, Contrast, claims_with, label
from attn_core.comparison.differences import Difference
from attn_core.findings.bars import BARS, BY_EFFECT, Bars, Effect, Unclear, Verdict
from attn_core.findings.verdicts import Finding
from attn_core.io.paths import last_part
from attn_core.models.controls import CONTROLS, NAMES
from attn_core.models.files import TWINS
from attn_core.reproduction.choices import MOVES, NOT_COUNTED, PAPERS, WindowChoice, as_columns, combinations
from attn_core.similarity.strong_pairs import MEASURES

USUAL = as_columns(WindowChoice(), "plain")
UNCLEAR = "no clear sign"
VERDICTS = ("as in the paper", "unlike the paper", "as in any network", UNCLEAR, "not asked", NOT_COUNTED)
DEPENDS = "depends on the choices"  # where no verdict has more than half of them
IN_SHORT = {
    "as in the paper": "as in paper", "unlike the paper": "unlike", "as in any network": "any network", UNCLEAR: "unclear",
}  # fmt: skip
# The model itself and its controls, as columns name them, and on screen.
SUBJECTS: dict[str, str] = {"none": "", **NAMES}
Counts = Mapping[str, int]  # how many combinations, by a word, the most frequent first


@dataclass(frozen=True)
class Standing:
    """A row of a claim in one subject.

    verdicts: how many combinations of the paper's measure give each; unclear: of those without a clear sign, how many are of
    which kind. extension: the same as verdicts of the other measures, by measure, where the measure can move the row.
    effect, usual, usual_unclear (its verdict), reason: under our usual choice; of several twins the mean, with an interval that
    holds each of theirs; no effect
    where it was not asked or not counted. learned, language: how many combinations say what; none of a control, nor where
    there is no baseline. cause: of the usual choice, None where there is no such.
    """

    bars: Bars
    model: str
    control: str
    verdicts: Counts
    unclear: Counts
    extension: Mapping[str, Counts]
    effect: Effect | None
    usual: str
    usual_unclear: str
    reason: str
    learned: Counts
    language: Counts
    cause: Cause | None

    @property
    def claim(self) -> str:
        return self.bars.claim

    @property
    def combinations(self) -> int:
        return sum(self.verdicts.values())

    @property
    def verdict(self) -> str:
        """What more than half of the combinations say."""
        return _most(self.verdicts)

    @property
    def how_many(self) -> str:
        """How many combinations say so; of each verdict, where none has more than half."""
        if self.verdict != DEPENDS:
            return f"{self.verdicts[self.verdict]} of {self.combinations}"
        return ", ".join(f"{IN_SHORT.get(name, name)} {count}" for name, count in self.verdicts.items())

    @property
    def number(self) -> str:
        """The effect under our usual choice, with its interval."""
        return self.effect.number if self.effect else ""

    @property
    def origin(self) -> str:
        """What most combinations say of learning and of language; empty where there is no baseline."""
        if not self.learned and not self.language:
            return ""
        return label(*(_most(counts) if counts else NOT_ASKED for counts in (self.learned, self.language)))

    @property
    def summary(self) -> str:
        """How many combinations give each verdict, and each word of learning and of language, in a sentence."""
        (first, count), *rest = self.verdicts.items()
        choices = "choice" if self.combinations == 1 else "choices"
        others = "".join(f", {name} under {number}{self._kinds(name)}" for name, number in rest)
        causes = [
            f"{name}: {_counted(counts)}"
            for name, counts in ((LEARNED, self.learned), (LANGUAGE, self.language))
            if counts
        ]
        told = f"{first.capitalize()} under {count} of {self.combinations} {choices}{self._kinds(first)}{others}"
        return f"{'; '.join([told, *causes])}."

    @property
    def beyond_the_paper(self) -> str:
        """What the measures of our extension say, in a sentence; empty where the measure cannot move the row."""
        told = [f"{measure} {_counted(counts)}" for measure, counts in self.extension.items()]
        return f"Our extension: {'; '.join(told)}." if told else ""

    def _kinds(self, verdict: str) -> str:
        """Behind how many combinations have no clear sign: how many are of which kind."""
        return f" ({_counted(self.unclear)})" if verdict == UNCLEAR and self.unclear else ""

    @property
    def under_usual_choice(self) -> str:
        """The number of our usual choice beside chance and the baselines, or why there is none."""
        if not self.effect:
            return self.reason
        beside = f" {self.cause.sentence}." if self.cause else ""
        by_chance = self.bars.number(self.effect.chance)
        return " ".join(
            filter(None, (f"Under our usual choice {self.number}, by chance {by_chance}.{beside}", self.reason))
        )


def standings(verdicts: pd.DataFrame, controls: Collection[str] = tuple(SUBJECTS)) -> list[Standing]:
    """Every row of the claims in every subject of one corpus, models in their order, each with its controls behind it.

    controls: those that are wanted, of `SUBJECTS`.
    """
    wanted = verdicts[verdicts["control"].isin(controls)]
    every = [
        _standing(BY_EFFECT[str(effect)], str(model), str(control), rows)
        for (model, control, effect), rows in wanted.groupby(["model", "control", "effect_name"], sort=False)
    ]
    models = list(dict.fromkeys(verdicts["model"]))
    order = {key: at for at, key in enumerate(SUBJECTS)}
    return sorted(every, key=lambda one: (models.index(one.model), order[one.control], BARS.index(one.bars)))


def grid_cells(found: Sequence[Standing], names: Mapping[str, str]) -> pd.DataFrame:
    """A row of a claim in a subject a row, as `charts.reproduction.verdict_grid` draws them. names: of models, by name.

    Columns row (the effect), name, model, control, subject, verdict, how_many, number, learned.
    """
    return pd.DataFrame(
        [
            {
                "row": one.bars.effect,
                "name": one.bars.name,
                "model": one.model,
                "control": one.control,
                "subject": ", ".join(filter(None, (names[one.model], SUBJECTS[one.control]))),
                "verdict": one.verdict,
                "how_many": one.how_many,
                "number": one.number,
                "learned": _most(one.learned) if one.learned else "",
            }
            for one in found
        ]
    )


def names_of(models: Sequence[str]) -> dict[str, str]:
    """What models are called: shortly, where that tells them apart."""
    apart = len({last_part(one) for one in models}) == len(set(models))
    return {one: last_part(one) if apart else one for one in models}


def two_sentences(found: Sequence[Standing]) -> tuple[str, str]:
    """All rows of one model: which verdict most choices give to each, and what is learned, what is language."""
    by_verdict = _named((one.verdict, one) for one in found)
    by_origin = _named((one.origin, one) for one in found if one.origin)
    first, second = (" · ".join(f"{word}: {rows}" for word, rows in named.items()) for named in (by_verdict, by_origin))
    return f"Under most choices {first}.", f"Under most choices {second}." if second else ""


def _named(pairs: Iterator[tuple[str, Standing]]) -> dict[str, str]:
    named: dict[str, list[str]] = {}
    for word, one in pairs:
        named.setdefault(word, []).append(one.bars.name)
    return {word: ", ".join(rows) for word, rows in named.items()}


def _standing(bars: Bars, model: str, control: str, rows: pd.DataFrame) -> Standing:
    every = combinations(rows, bars.effect)
    own = every[every["measure"] == PAPERS]
    usual = rows[(rows[list(USUAL)] == pd.Series(USUAL)).all(axis=1)]
    asked = usual[usual["effect"].notna()]
    verdict, unclear, reason = (
        str(usual[name].iloc[0]) if len(usual) else "" for name in ("verdict", "unclear", "reason")
    )
    return Standing(
        bars,
        model,
        control,
        _counts(own["verdict"], VERDICTS),
        _counts(own["unclear"]),
        {
            measure: _counts(every.loc[every["measure"] == measure, "verdict"], VERDICTS)
            for measure in MEASURES
            if measure != PAPERS and "measure" in MOVES[bars.claim]
        },
        _effect(bars, asked) if len(asked) else None,
        verdict,
        unclear,
        reason,
        _counts(own["learned"]),
        _counts(own["language"]),
        _cause(bars, model, asked),
    )


def _counts(words: pd.Series, order: Sequence[str] = ()) -> Counts:
    """How often each word stands there, the most frequent first; without what is not there or was not asked of a baseline."""
    rank = {word: at for at, word in enumerate(order)}
    counted = Counter(str(word) for word in words.dropna() if word and (order or word != NOT_ASKED))
    return dict(sorted(counted.items(), key=lambda one: (-one[1], rank.get(one[0], 0), one[0])))


def _counted(counts: Counts) -> str:
    return ", ".join(f"{word} {count}" for word, count in counts.items())


def _most(counts: Counts) -> str:
    """The word of more than half of the combinations."""
    half = sum(counts.values()) / 2
    return next((word for word, count in counts.items() if count > half), DEPENDS)


def _effect(bars: Bars, rows: pd.DataFrame) -> Effect:
    """Rows of one effect: a row, or one of each twin."""
    value, chance = float(rows["effect"].mean()), float(rows["chance"].mean())
    first = rows.iloc[0]
    low, high = float(rows["low"].min()), float(rows["high"].max())
    return Effect(bars, value, low, high, chance, int(first["units"]), str(first["over"]))


def _cause(bars: Bars, model: str, asked: pd.DataFrame) -> Cause | None:
    """What is learned, what is language under our usual choice, as Compare tells it of two readings."""
    contrasts = []
    for control in CONTROLS:
        difference = f"{control}_difference"
        if len(asked) and asked[difference].notna().all():
            row = asked.iloc[0]
            own, by, low, high = (
                float(row[name]) for name in ("effect", difference, f"{difference}_low", f"{difference}_high")
            )
            contrasts.append(Contrast(model, control, (NAMES[control],), Difference(bars, own, own - by, low, high)))
    return Cause(bars, model, tuple(contrasts)) if contrasts else None


def twins_of(readings: pd.DataFrame) -> int:
    """The fewest twins of a kind that was read that stand beside a model; 0 where one has none."""
    seeds = readings.groupby(["corpus", "model", "control"])["seed"].nunique().unstack("control", fill_value=0)
    kinds = [kind for kind in TWINS if kind in seeds]
    return int(seeds[kinds].min(axis=None)) if kinds else 0


def curve_table(verdicts: pd.DataFrame, effect: str, model: str, extension: bool = False) -> pd.DataFrame:
    """The specification curve of an effect in a model: one row a combination of the choices that can move it, by effect.

    Columns rank, those choices, effect, low, high, chance, a column a control, verdict. The controls under the same
    combination (of several twins the mean), NaN where there is none. verdicts: of one corpus. extension: with the measures
    that are ours; else the paper's alone.
    """
    rows = verdicts[(verdicts["model"] == model) & (verdicts["control"] == "none")]
    rows = combinations(rows if extension else rows[rows["measure"] == PAPERS], effect)
    rows = rows.dropna(subset="effect").sort_values("effect", kind="stable", ignore_index=True)
    beside = {control: rows["effect"] - rows[f"{control}_difference"] for control in CONTROLS}
    rank = np.arange(1, len(rows) + 1)
    moves = [name for name in MOVES[BY_EFFECT[effect].claim] if extension or name != "measure"]
    columns = ["rank", *moves, "effect", "low", "high", "chance", *CONTROLS, "verdict"]
    return rows.assign(rank=rank, **beside)[columns]


def claims_of(found: Sequence[Standing]) -> pd.DataFrame:
    """The claims in a model, its controls beside it, as of `claims_table`. found: its standings, without those of controls.

    Effect, interval and verdict are those of our usual choice: what the other choices say is not in them.
    """
    made = [
        Finding(
            one.bars, one.summary, cast(Verdict, one.usual), cast(Unclear, one.usual_unclear), one.reason, one.effect
        )
        for one in found
    ]
    return claims_with(made, [one for standing in found if standing.cause for one in standing.cause.contrasts])
