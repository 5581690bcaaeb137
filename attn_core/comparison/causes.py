"""What is learned, what is language: the effect of each row of the claims in a model, beside the same in its baselines.

*Learned* is said only beside every network that never learned, the untrained and the permuted twin, and is the lowest of
what stands beside each; *language* is the same beside the shuffled text. Both are said of the effect, not of its verdict: two
subjects can both be as in the paper and far apart, or both unlike it. Studies that are no baseline of each other are told
apart by the same margin, without a cause.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd

from attn_core.comparison.differences import OUTCOMES, Difference, Outcome, differences
from attn_core.comparison.subjects import StudySubject, nulls_of
from attn_core.findings.bars import BARS, BY_EFFECT, Bars
from attn_core.findings.table import claims_table
from attn_core.findings.verdicts import Finding, findings
from attn_core.models.controls import NAMES, SEEDS, Control
from attn_core.models.files import TWIN_IN_REVISION, TWINS, without_twin

Kind = Control | Literal["another"]
SHUFFLED: Control = "shuffled"
SAME = ("measure", "share", "with_special", "unit")  # settings that a control shares with its model
TEXTS = ("windows", "corpus_sha256")  # and what it reads
LEARNED, LANGUAGE = "learned", "language"
NOT_ASKED = "not asked"
RULE = """
- **Learned**: the effect is larger than that of every network that never learned, in the claim's direction, and the whole
  95% interval of the difference lies beyond the margin. **Language**: the same beside the shuffled text.
- **Less than counts**: the interval lies on the claim's side of 0, and none of it beyond the margin. **No difference**: it
  holds 0 and lies within the margin. **The other way**: it lies on the other side of 0. **Open**: these texts do not tell. Of
  several networks the lowest counts: the other way, no difference, open, less than counts, learned.
- **Not asked**: a network that it takes is missing.
- **Different** and **alike**, of two subjects that are no baseline of each other: by the margin, in either direction.
- The margin is half of what lies between the bars of the row's verdict. Both are our choice.
"""


@dataclass(frozen=True)
class Contrast:
    """An effect in one subject beside one baseline, or another subject. others: the names of whatever it is beside."""

    subject: str
    kind: Kind
    others: tuple[str, ...]
    difference: Difference

    @property
    def bars(self) -> Bars:
        return self.difference.bars

    @property
    def verdict(self) -> str:
        """Whether they differ by the margin, in whatever direction."""
        return {True: "different", False: "alike", None: "open"}[self.difference.apart]

    @property
    def sentence(self) -> str:
        """The numbers that decide, the subject's first."""
        return _sentence((self,))


@dataclass(frozen=True)
class Cause:
    """What the baselines of a subject say of a row of a claim."""

    bars: Bars
    subject: str
    contrasts: tuple[Contrast, ...]

    @property
    def learned(self) -> str:
        """Of the words of the rule, beside all networks that never learned."""
        return learned(self._outcomes)

    @property
    def language(self) -> str:
        """Of the words of the rule, beside the shuffled text."""
        return language(self._outcomes)

    @property
    def sentence(self) -> str:
        """The numbers that decide, the subject's first."""
        return _sentence(self.contrasts)

    @property
    def label(self) -> str:
        """Both words, those that are not asked left out where the other is."""
        return label(self.learned, self.language)

    @property
    def _outcomes(self) -> dict[Control, Outcome]:
        return {one.kind: one.difference.outcome for one in self.contrasts if one.kind != "another"}


def learned(outcomes: Mapping[Control, Outcome]) -> str:
    """What the outcomes beside the baselines say of learning: their lowest; not asked where a network is missing."""
    return _lowest([outcomes.get(null) for null in TWINS], LEARNED)


def language(outcomes: Mapping[Control, Outcome]) -> str:
    """What the outcome beside the shuffled text says."""
    return _lowest([outcomes.get(SHUFFLED)], LANGUAGE)


def _lowest(outcomes: Sequence[Outcome | None], beyond: str) -> str:
    there = [one for one in outcomes if one is not None]
    if len(there) < len(outcomes):
        return NOT_ASKED
    lowest = min(there, key=OUTCOMES.index)
    return beyond if lowest == OUTCOMES[-1] else lowest


def label(of_learning: str, of_language: str) -> str:
    """Both words: "learned; language: no difference"."""
    told = [
        word if word == name else f"{name}: {word}"
        for name, word in ((LEARNED, of_learning), (LANGUAGE, of_language))
        if word and word != NOT_ASKED
    ]
    return "; ".join(told) or NOT_ASKED


def causes(subjects: Sequence[StudySubject]) -> list[Cause]:
    """Of every subject that stands beside a baseline of its own, row by row."""
    every = []
    for subject in subjects:
        by_kind = _controls(subject, subjects)
        contrasts = [one for kind, others in by_kind.items() for one in _contrasts(subject, others, kind)]
        for bars in dict.fromkeys(one.bars for one in contrasts):
            every.append(Cause(bars, subject.name, tuple(one for one in contrasts if one.bars == bars)))
    return every


def other_differences(subjects: Sequence[StudySubject]) -> list[Contrast]:
    """The first subject beside each that is no baseline of it, nor of the others, row by row."""
    first, *others = subjects
    controls = {id(one) for subject in subjects for some in _controls(subject, subjects).values() for one in some}
    alone = [one for one in others if id(one) not in controls] if id(first) not in controls else others
    return [contrast for other in alone for contrast in _contrasts(first, [other], "another")]


def causes_table(subjects: Sequence[StudySubject]) -> pd.DataFrame:
    """One row an effect and baseline.

    Columns claim, topic, subject, against, kind, effect, first, second, difference, low, high, margin, outcome, verdict.
    kind: of `Kind`; verdict: of the effect in that subject, empty where there is no baseline.
    """
    contrasts = [(one, cause.label) for cause in causes(subjects) for one in cause.contrasts]
    contrasts += [(one, "") for one in other_differences(subjects)]
    rows = [
        {
            "claim": one.bars.claim,
            "topic": one.bars.topic,
            "subject": one.subject,
            "against": ", ".join(one.others),
            "kind": one.kind,
            "effect": one.bars.effect,
            "first": one.difference.first,
            "second": one.difference.second,
            "difference": one.difference.first - one.difference.second,
            "low": one.difference.low,
            "high": one.difference.high,
            "margin": one.bars.margin,
            "outcome": one.difference.outcome,
            "verdict": verdict,
        }
        for one, verdict in contrasts
    ]
    order = {bars.effect: at for at, bars in enumerate(BARS)}
    rows.sort(key=lambda row: order[str(row["effect"])])
    return pd.DataFrame(rows)


def contrasts_in(table: pd.DataFrame, subject: str) -> list[Contrast]:
    """The contrasts of a subject from the table of causes."""
    return [
        Contrast(
            subject,
            row["kind"],
            tuple(row["against"].split(", ")),
            Difference(BY_EFFECT[row["effect"]], row["first"], row["second"], row["low"], row["high"]),
        )
        for row in table[table["subject"] == subject].to_dict("records")
    ]


def few_twins(subjects: Sequence[StudySubject]) -> str:
    """Says how few twins stand behind what is called learned; empty where they are enough, or none is asked."""
    controls = [_controls(one, subjects) for one in subjects]
    return too_few(min((len(of[kind]) for of in controls for kind in TWINS if of.get(kind)), default=SEEDS))


def too_few(twins: int) -> str:
    """The same of a number of twins of one kind."""
    if twins >= SEEDS:
        return ""
    number = "one twin" if twins == 1 else f"{twins} twins"
    return f"Learned is said beside {number} of a kind; how far twins of other seeds differ is seen from {SEEDS} on."


def _contrasts(subject: StudySubject, others: Sequence[StudySubject], kind: Kind) -> list[Contrast]:
    """The rows that the subject and all the others can be asked."""
    by_other = [{one.bars.effect: one for one in differences(subject.results, other.results)} for other in others]
    names = tuple(one.name for one in others)
    return [
        Contrast(subject.name, kind, names, together([some[effect] for some in by_other]))
        for effect in by_other[0]
        if all(effect in some for some in by_other)
    ]


def together(against_each: Sequence[Difference]) -> Difference:
    """The difference to the mean of several others, with an interval that holds each of theirs."""
    lows, highs = ([getattr(one, bound) for one in against_each] for bound in ("low", "high"))
    second = sum(one.second for one in against_each) / len(against_each)
    return replace(against_each[0], second=second, low=float(np.min(lows)), high=float(np.max(highs)))


def _controls(subject: StudySubject, subjects: Sequence[StudySubject]) -> dict[Control, list[StudySubject]]:
    """The baselines of a subject among the others."""
    controls: dict[Control, list[StudySubject]] = {}
    for other in subjects:
        if kind := _control(subject, other):
            controls.setdefault(kind, []).append(other)
    return controls


def _control(subject: StudySubject, other: StudySubject) -> Control | None:
    """Which control of the one the other is, told from where both come from."""
    one, two = subject.results.provenance, other.results.provenance
    if any(one.get(name) != two.get(name) for name in (*SAME, *TEXTS)):
        return None
    (model, twin), (of_other, twin_of_other) = (
        without_twin(about["revision"], TWIN_IN_REVISION) for about in (one, two)
    )
    if model != of_other or twin or one["layout"] == "shuffled":
        return None
    if twin_of_other:
        return twin_of_other[0] if two["layout"] == one["layout"] else None
    return "shuffled" if two["layout"] == "shuffled" else None


def _called(one: Contrast) -> str:
    if one.kind == "another":
        return one.others[0]
    return NAMES[one.kind] if len(one.others) == 1 else f"mean of {len(one.others)} {NAMES[one.kind]}s"


def _sentence(contrasts: Sequence[Contrast]) -> str:
    """The subject's number, then those of the others with the difference."""
    first = contrasts[0].difference
    beside = [f"{_called(one)} {one.difference.sentence}" for one in contrasts]
    return "; ".join([f"{first.bars.label} {first.bars.number(first.first)}", *beside])


def claims_beside(subjects: Sequence[StudySubject]) -> pd.DataFrame:
    """The claims in the first subject, with all the others beside it, see `claims_with`."""
    first = subjects[0]
    own = [one for cause in causes(subjects) if cause.subject == first.name for one in cause.contrasts]
    return claims_with(findings(first.results, nulls_of(first, subjects)), [*own, *other_differences(subjects)])


def claims_with(found: Sequence[Finding], contrasts: Sequence[Contrast]) -> pd.DataFrame:
    """The claims in a subject, as of `claims_table`. contrasts: its own, with what stands beside it.

    Beside it stand its twins and the shuffled text, where they are there, with the word of learning, or that of language
    where there is none; else the first other subject, and whether they differ.
    """
    other = next((one.others for one in contrasts if one.kind == "another"), ())
    beside: dict[str, dict[str, float]] = {}
    words: dict[str, str] = {}
    for effect in dict.fromkeys(one.bars.effect for one in contrasts):
        own = [one for one in contrasts if one.bars.effect == effect and (one.kind != "another" or one.others == other)]
        for one in own:
            column = "other" if one.kind == "another" else one.kind
            beside.setdefault(column, {})[effect] = one.difference.second
        cause = Cause(BY_EFFECT[effect], contrasts[0].subject, tuple(own))
        apart = [one.verdict for one in own if one.kind == "another"]
        words[effect] = next(word for word in (cause.learned, cause.label, *apart, "") if word != NOT_ASKED)
    return claims_table(found, beside, {effect: word for effect, word in words.items() if word})
