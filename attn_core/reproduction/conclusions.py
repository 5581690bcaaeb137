"""What a reproduction says, claim by claim: the verdict that most choices give, whether it is learned or language, in words.

A cell of the grid is a claim in one subject: a model, or a control of it (twins of several seeds together). Its verdict is
that of more than half of the combinations of choices, its numbers are those of our usual choice, which the other pages
begin with.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from attn_core.comparison.causes import NAMES, Cause, Held, in_a_word
from attn_core.comparison.differences import Difference, Outcome
from attn_core.findings.bars import BY_EFFECT, TOO_LITTLE, Effect
from attn_core.findings.verdicts import TOPICS
from attn_core.reproduction.against import AGAINST, NOT_COUNTED
from attn_core.reproduction.choices import as_columns
from attn_core.reproduction.firmness import MOVES
from attn_core.similarity.strong_pairs import Settings

USUAL = as_columns(Settings(), "plain")
UNCLEAR = "no clear sign"
VERDICTS = ("as in the paper", "unlike the paper", UNCLEAR, "not asked", NOT_COUNTED)
DEPENDS = "depends on the choices"  # where no verdict has more than half of them
TOO_FEW = "the texts are too few to tell"
IN_SHORT = {"as in the paper": "as in", "unlike the paper": "unlike", "no clear sign": "unclear"}
ORIGINS = {"neither": "neither learned nor language", "open": "open, as these texts do not tell"}
CONTROLS: dict[str, str] = {"none": "", **NAMES}  # as columns name them, and on screen


@dataclass(frozen=True)
class Standing:
    """A claim in one subject.

    verdicts: how many combinations give each, the most frequent first. effects, reason: under our usual choice; of several
    twins the mean, with an interval that holds each of theirs; no effects where it was not asked or not counted. outcomes: of
    `learned` and `language`, how many combinations say yes, no, open; none of a control, nor where there is none to hold the
    model against. cause: of the usual choice, None where there is no such.
    unclear: of the combinations without a clear sign, how many for which reason. passed_by: the untrained twin, by how many of
    its combinations are as in the paper and how many there are, where more than half are; empty of a control.
    """

    claim: str
    model: str
    control: str
    verdicts: Mapping[str, int]
    effects: tuple[Effect, ...]
    reason: str
    outcomes: Mapping[str, Mapping[str, int]]
    cause: Cause | None
    unclear: Mapping[str, int]
    passed_by: str

    @property
    def topic(self) -> str:
        return TOPICS[self.claim]

    @property
    def combinations(self) -> int:
        return sum(self.verdicts.values())

    @property
    def verdict(self) -> str:
        """What more than half of the combinations say."""
        first, count = next(iter(self.verdicts.items()))
        return first if count > self.combinations / 2 else DEPENDS

    @property
    def holds(self) -> bool:
        """Whether most combinations are as in the paper."""
        return self.verdict == VERDICTS[0]

    @property
    def caution(self) -> str:
        """That the claim shows no learning by itself, where chance or the untrained twin passes its bars too; else empty."""
        passing = [
            *([f"chance ({self._chance})"] if self.effects and all(one.chance_passes for one in self.effects) else []),
            *([f"the untrained twin ({self.passed_by} choices)"] if self.passed_by else []),
        ]
        if not (self.holds and passing):
            return ""
        return f"Its bar is passed by {' and by '.join(passing)} too: alone, this verdict shows no learning."

    @property
    def how_many(self) -> str:
        """How many combinations say so; of each verdict, where none has more than half."""
        if self.verdict != DEPENDS:
            return f"{self.verdicts[self.verdict]} of {self.combinations}"
        return ", ".join(f"{IN_SHORT.get(name, name)} {count}" for name, count in self.verdicts.items())

    @property
    def numbers(self) -> str:
        """The effects under our usual choice, with their intervals."""
        return "; ".join(effect.number for effect in self.effects)

    @property
    def origin(self) -> str:
        """learned, language, both, neither or open, by what most combinations say; empty where there is no control."""
        return in_a_word({name: _most(counts) for name, counts in self.outcomes.items()}) if self.outcomes else ""

    @property
    def in_brief(self) -> str:
        """How many combinations give each verdict, and how many are beyond each control, in a sentence."""
        (first, count), *rest = self.verdicts.items()
        choices = "choice" if self.combinations == 1 else "choices"
        others = "".join(f", {name} under {number}{self._why(name)}" for name, number in rest)
        beyond = [
            f"beyond the {NAMES[kind]} under {counts.get('yes', 0)} of {sum(counts.values())}"
            for kind, outcome in AGAINST.values()
            if (counts := self.outcomes.get(outcome))
        ]
        told = f"{_capital(first)} under {count} of {self.combinations} {choices}{self._why(first)}{others}"
        return f"{'; '.join([told, ', '.join(beyond)] if beyond else [told])}."

    def _why(self, verdict: str) -> str:
        """Behind how many combinations have no clear sign: for how many the effect is small, for how many the texts too few."""
        told = [f"{why} in {count}" for why, count in self.unclear.items()] if verdict == UNCLEAR else []
        return f" ({', '.join(told)})" if told else ""

    @property
    def under_usual_choice(self) -> str:
        """The numbers of our usual choice beside chance and the controls, or why there are none."""
        if not self.effects:
            return self.reason
        beside = f" {self.cause.sentence}." if self.cause else ""
        return f"Under our usual choice {self.numbers}, by chance {self._chance}.{beside}"

    @property
    def _chance(self) -> str:
        return "; ".join(effect.bars.number(effect.chance) for effect in self.effects)


def standings(verdicts: pd.DataFrame, controls: Collection[str] = tuple(CONTROLS)) -> list[Standing]:
    """Every claim in every subject of one corpus, models in their order, each with its controls behind it.

    controls: those that are wanted, of `CONTROLS`; what a model is told of its twin hangs on `verdicts` alone.
    """
    every, passed_by = [], _passed_by_twins(verdicts)
    asked = verdicts[verdicts["control"].isin(controls)]
    for (model, control, claim), rows in asked.groupby(["model", "control", "claim"], sort=False):
        passed = passed_by.get((str(model), str(claim)), "") if control == "none" else ""
        every.append(_standing(str(claim), str(model), str(control), rows, passed))
    models = list(dict.fromkeys(verdicts["model"]))
    order = {key: at for at, key in enumerate(CONTROLS)}
    return sorted(every, key=lambda one: (models.index(one.model), order[one.control], one.claim))


def grid_cells(found: Sequence[Standing], names: Mapping[str, str]) -> pd.DataFrame:
    """A claim in a subject a row, as `charts.reproduction.verdict_grid` draws them. names: what models are called, by name.

    Columns claim, name, model, control, subject, verdict, how_many, numbers.
    """
    return pd.DataFrame(
        [
            {
                "claim": one.claim,
                "name": f"{one.claim} {one.topic}",
                "model": one.model,
                "control": one.control,
                "subject": ", ".join(filter(None, (names[one.model], CONTROLS[one.control]))),
                "verdict": one.verdict,
                "how_many": one.how_many,
                "numbers": one.numbers,
            }
            for one in found
        ]
    )


def short(model: str) -> str:
    """A model without its publisher or folder."""
    return model.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]


def names_of(models: Sequence[str]) -> dict[str, str]:
    """What models are called: shortly, where that tells them apart."""
    apart = len({short(one) for one in models}) == len(set(models))
    return {one: short(one) if apart else one for one in models}


def combinations_of(rows: pd.DataFrame, claim: str) -> pd.DataFrame:
    """The rows of a claim, a combination of the choices that can move it once."""
    of_claim = rows[rows["claim"] == claim]
    return of_claim.drop_duplicates(["corpus", "model", "control", "seed", "effect_name", *MOVES[claim]])


def in_two_sentences(found: Sequence[Standing]) -> tuple[str, str]:
    """All claims of one model: which verdict most choices give to each, and which effects are learned, language or neither."""
    by_verdict = _named((one.verdict, one) for one in found)
    by_origin = _named((ORIGINS.get(one.origin, one.origin), one) for one in found if one.origin)
    first, second = (
        "; ".join(f"{word}: {claims}" for word, claims in told.items()) for told in (by_verdict, by_origin)
    )
    against = " and the ".join(
        NAMES[kind] for kind, outcome in AGAINST.values() if any(outcome in one.outcomes for one in found)
    )
    return (
        f"Under most choices {first}.",
        f"Held against the {against}, under most choices {second}." if second else "",
    )


def _named(pairs: Iterator[tuple[str, Standing]]) -> dict[str, str]:
    named: dict[str, list[str]] = {}
    for word, one in pairs:
        named.setdefault(word, []).append(f"{one.claim} {one.topic}")
    return {word: ", ".join(claims) for word, claims in named.items()}


def _passed_by_twins(verdicts: pd.DataFrame) -> dict[tuple[str, str], str]:
    """By model and claim, how many of its untrained twins' combinations are as in the paper, where more than half are."""
    passed: dict[tuple[str, str], str] = {}
    twins = verdicts[verdicts["control"] == "untrained"]
    for claim in TOPICS:
        once = combinations_of(twins, claim).drop_duplicates(["model", "seed", *MOVES[claim]])
        counts = (once["verdict"] == VERDICTS[0]).groupby(once["model"]).agg(["sum", "count"])
        passed |= {
            (str(model), claim): f"{of} of {every}"
            for model, of, every in zip(counts.index, counts["sum"], counts["count"], strict=True)
            if 2 * of > every
        }
    return passed


def _standing(claim: str, model: str, control: str, rows: pd.DataFrame, passed_by: str) -> Standing:
    apart = combinations_of(rows, claim)
    once = apart.drop_duplicates(["seed", *MOVES[claim]])  # the effects of a claim share its verdict
    counted = once["verdict"].value_counts()
    verdicts = {
        name: int(counted[name])
        for name in sorted(counted.index, key=lambda name: (-counted[name], VERDICTS.index(name)))
    }
    usual = rows[(rows[list(USUAL)] == pd.Series(USUAL)).all(axis=1)]
    asked = usual[usual["effect"].notna()]
    outcomes = {
        outcome: {str(name): int(count) for name, count in once[outcome].value_counts().items()}
        for _, outcome in AGAINST.values()
        if once[outcome].notna().any()
    }
    effects = tuple(_effect(of_effect) for _, of_effect in asked.groupby("effect_name", sort=False))
    reason = str(usual["reason"].iloc[0]) if len(usual) else ""
    why = once.loc[(once["verdict"] == UNCLEAR) & (once["reason"] != ""), "reason"].map(_in_short).value_counts()
    unclear = {str(name): int(count) for name, count in why.items()}
    return Standing(
        claim, model, control, verdicts, effects, reason, outcomes, _cause(claim, model, asked), unclear, passed_by
    )


def _in_short(reason: str) -> str:
    """A reason without its explanation: "the effect is small"."""
    if reason == TOO_LITTLE:
        return TOO_FEW
    words = reason.rstrip(".").split(":")[0]
    return words[:1].lower() + words[1:]


def _effect(rows: pd.DataFrame) -> Effect:
    """Rows of one effect: a row, or one of each twin."""
    first = rows.iloc[0]
    value, chance = float(rows["effect"].mean()), float(rows["chance"].mean())
    low, high = float(rows["low"].min()), float(rows["high"].max())
    return Effect(BY_EFFECT[first["effect_name"]], value, low, high, chance, int(first["units"]), str(first["over"]))


def _cause(claim: str, model: str, asked: pd.DataFrame) -> Cause | None:
    """Why the claim holds in a model, as Compare tells it of two readings."""
    held = []
    for against, (kind, outcome) in AGAINST.items():
        if len(asked) and asked[outcome].notna().all():
            differences = tuple(
                Difference(BY_EFFECT[name], own, own - by, low, high)
                for name, own, by, low, high in zip(
                    asked["effect_name"], asked["effect"],
                    *(asked[f"{against}_difference{bound}"] for bound in ("", "_low", "_high")), strict=True,
                )
            )  # fmt: skip
            held.append(Held(claim, TOPICS[claim], model, kind, (NAMES[kind],), differences))
    return Cause(claim, TOPICS[claim], model, tuple(held)) if held else None


def _most(counts: Mapping[str, int]) -> Outcome:
    """The outcome of more than half of the combinations; open where none is."""
    half = sum(counts.values()) / 2
    outcomes: tuple[Outcome, ...] = ("yes", "no")
    return next((name for name in outcomes if counts.get(name, 0) > half), "open")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def twins_of(readings: pd.DataFrame) -> int:
    """The fewest untrained twins that a model was held against; 0 where one has none."""
    twins = readings[readings["control"] == "untrained"].groupby(["corpus", "model"])["seed"].nunique()
    models = readings.groupby(["corpus", "model"]).size()
    return int(twins.reindex(models.index, fill_value=0).min()) if len(models) else 0


def curve_table(verdicts: pd.DataFrame, claim: str, effect: str, model: str) -> pd.DataFrame:
    """The specification curve of an effect in a model: one row a combination of the choices that can move its claim, by effect.

    Columns rank, those choices, effect, low, high, chance, twin, shuffle, verdict. twin, shuffle: the same effect in the
    controls under the same combination (of several twins the mean), NaN where there is none. verdicts: of one corpus.
    """
    rows = verdicts[
        (verdicts["model"] == model) & (verdicts["control"] == "none") & (verdicts["effect_name"] == effect)
    ]
    rows = combinations_of(rows, claim).dropna(subset="effect").sort_values("effect", kind="stable", ignore_index=True)
    beside = {name: rows["effect"] - rows[f"{name}_difference"] for name in AGAINST}
    rank = np.arange(1, len(rows) + 1)
    columns = ["rank", *MOVES[claim], "effect", "low", "high", "chance", *AGAINST, "verdict"]
    return rows.assign(rank=rank, **beside)[columns]
