"""The findings of a study, row by row of the paper's claims, whether they bear the paper out or not.

The rule behind each verdict is of `bars`, the numbers that it is held against of `measures.effects`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from attn_core.findings.bars import BARS, BY_EFFECT, Bars, Effect, Judgement, Unclear, Verdict, judged
from attn_core.measures.few_pairs import left_out_in_words, too_few
from attn_core.measures.tally import MIN_PAIRS
from attn_core.models.files import TWIN_IN_NAME, without_twin
from attn_core.study.opened import Study

# What the paper claims, in the words of its abstract; C7 is a remark of a summary.
CLAIMS = {
    "C1": "each head has its own similarity matrix",
    "C2": "strong pairs are long-range in the first layers, short-range later",
    "C3": "in late layers they stay inside one sentence",
    "C4": "heads specialise: some pair repetitions, some a common token with its surroundings",
    "C5": "each head gathers around an anchor token of its own",
    "C6": "in the final layers attention goes to sentence separators, which suggests segments",
    "C7": "unrelated tokens are similar too: noise",
}
OF_ATTENTION = ("separators", "separator_trend")  # rows that rest on no pairs
OF_SENTENCES = ("late_sentences", "sentences")
OVER_LAYERS = ("later_reach", "reach", "sentences", "separator_trend")  # rows that hold layers against each other
AMONG_HEADS = ("own_pairs", "distinct")
NO_REFERENCE = (
    "The model reads fewer than nine in ten tokens of the reference texts, which are English: it has no noise rate."
)


@dataclass(frozen=True)
class Finding:
    """What becomes of a row of a claim: a sentence, the verdict, and the effect that decides it.

    unclear: which kind of no clear sign. reason: why the row is not asked, or neither as in the paper nor unlike it. effect:
    None where it is not asked.
    """

    bars: Bars
    sentence: str
    verdict: Verdict
    unclear: Unclear
    reason: str
    effect: Effect | None

    @property
    def claim(self) -> str:
        """C1 to C7 of the paper."""
        return self.bars.claim

    @property
    def row(self) -> str:
        """The name of the effect."""
        return self.bars.effect

    @property
    def topic(self) -> str:
        return self.bars.topic

    @property
    def label(self) -> str:
        """The verdict with the kind of no clear sign."""
        return label(self.verdict, self.unclear)

    @property
    def number(self) -> str:
        """The number that decides, with its interval; empty where it is not asked."""
        return self.effect.number if self.effect else ""


def label(verdict: str, unclear: str, number: str = "") -> str:
    """A verdict with the kind of no clear sign behind it, and the number that decides, where it is asked for."""
    return (f"{verdict}: {unclear}" if unclear else verdict) + (f", {number}" if number else "")


def findings(study: Study, nulls: Mapping[str, Study] | None = None) -> list[Finding]:
    """What the texts of a study and its model say to each row of the claims.

    nulls: networks that never learned beside it, as far as they are known, by what they are called.
    """
    heads, layers = study.statistics, study.layers
    separators = bool((layers["chance_separator_attention"] > 0).all())
    inside = float(layers["chance_same_sentence_share"].iloc[0])
    short = int(study.provenance.get("short_windows", 0))
    basis = Basis(len(layers), len(heads) // len(layers), too_few(heads), short, inside, separators)
    never_learned = without_twin(str(study.provenance["model"]), TWIN_IN_NAME)[1] is not None
    own = effects_by_row(study.effects)
    beside = {name: effects_by_row(null.effects) for name, null in (nulls or {}).items()}
    made = []
    for row, effect in own.items():
        of_nulls = {name: effects[row] for name, effects in beside.items()}
        judgement = verdict_on(effect, basis, of_nulls, never_learned)
        verdict, unclear, why = judgement.verdict, judgement.unclear, judgement.reason
        if verdict == "not asked":
            made.append(Finding(effect.bars, why, verdict, unclear, why, None))
            continue
        nulls_have = [f"The {name} has {one.number}." for name, one in of_nulls.items()]
        told = " ".join(part for part in (effect.sentence, *nulls_have, why) if part)
        made.append(Finding(effect.bars, told, verdict, unclear, why, effect))
    return made


@dataclass(frozen=True)
class Basis:
    """What decides whether a row can be asked.

    layers, and heads a layer; few: whether no window has `MIN_PAIRS` strong pairs a head; short: how many windows were left
    out, where others have as many; inside: the share of all pairs that lie in one sentence; separators: whether there are any
    that can be attended to.
    """

    layers: int
    heads: int
    few: bool
    short: int
    inside: float
    separators: bool


def verdict_on(effect: Effect, basis: Basis, nulls: Mapping[str, Effect], never_learned: bool = False) -> Judgement:
    """The verdict on a row. nulls, never_learned: as of `judged`."""
    if reason := _not_asked(effect.bars.effect, basis):
        return Judgement("not asked", reason=reason)
    if effect.bars.effect == "noise" and np.isnan(effect.value):
        return Judgement("not asked", reason=NO_REFERENCE)
    if basis.few and effect.bars.effect not in OF_ATTENTION:
        few = f"This is too little text to tell: no window has {MIN_PAIRS} strong pairs a head."
        return Judgement("no clear sign", "too little text", few)
    found = judged(effect, nulls, never_learned)
    return replace(found, reason=f"{found.reason} {left_out_in_words(basis.short)}".strip())


def effects_by_row(effects: pd.DataFrame) -> dict[str, Effect]:
    """The rows of an effects table as effects, by name, in the order of the claims."""
    by_row = {}
    for row in effects.to_dict("records"):
        value, low, high, chance = (float(row[column]) for column in ("value", "low", "high", "chance"))
        bars = BY_EFFECT[str(row["effect"])]
        by_row[bars.effect] = Effect(bars, value, low, high, chance, int(row["units"]), str(row["over"]))
    return {bars.effect: by_row[bars.effect] for bars in BARS}


def _not_asked(row: str, basis: Basis) -> str:
    """Why a model, or a text, has no answer to a row; empty where it has."""
    if row in OVER_LAYERS and basis.layers == 1:
        return "The model has one layer, so that there is no first and no last one to compare."
    if row == "reach" and basis.layers == 2:
        return "The model has two layers, of which the last is the later half: the row above has its number."
    if row in AMONG_HEADS and basis.heads == 1:
        return "A layer has one head only, so nothing can be said about differences between the heads of a layer."
    if row in OF_SENTENCES and basis.inside > 1 / BY_EFFECT[row].paper:
        return (
            f"{basis.inside:.0%} of all pairs lie in one sentence: a text of one sentence cannot tell who keeps to it."
        )
    if row in OF_SENTENCES and basis.inside == 0:
        return "No sentence has two tokens, so that no pair can lie inside one."
    if row in OF_ATTENTION and not basis.separators:
        return "There is no separator token in reach, so nothing can be said about attention to separators."
    return ""
