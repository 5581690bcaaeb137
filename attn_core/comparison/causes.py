"""What is learned, what is language: the effect of each claim in a model, held against the same in its controls.

*Learned*: the effect differs from that of the untrained twins in the claim's direction, and the whole 95 % interval of the
difference lies beyond the smallest difference that counts. *Language*: the same against the shuffled text. Both are said of
the effect, not of a verdict on the claim: two subjects can both be as in the paper and far apart, or both unlike it.
Subjects that are no control of each other are told apart by the same rule, without a cause.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd

from attn_core.comparison.differences import BRIEFLY, Difference, Outcome, differences
from attn_core.comparison.subjects import Subject
from attn_core.findings.verdicts import TOPICS
from attn_core.models.controls import NAMES, SEEDS, Control
from attn_core.models.files import TWIN_IN_REVISION, without_twin

Kind = Control | Literal["another"]
SAME = ("measure", "share", "with_special", "unit")  # settings that a control shares with its model
TEXTS = ("text_sha256", "windows", "corpus_sha256")  # and what it reads
CAUSES: dict[Kind, str] = {"untrained": "learned", "permuted": "learned", "shuffled": "language"}
RULE = """
- **Learned**: the effect is larger than the untrained twin's, in the claim's direction, and the whole 95 % interval of the
  difference lies beyond the margin. **Language**: the same against the shuffled text.
- **Not learned, not language, neither**: the whole interval lies below the margin. **Open**: the interval holds it, so
  that these texts do not tell, or there is none.
- **Different** and **alike**, of two subjects that are no control of each other: by the margin, in either direction.
- The margin is half of what lies between the bars of the claim's verdict. Both are our choice.
"""


@dataclass(frozen=True)
class Held:
    """A claim in one subject held against one control, or against another subject. others: their names."""

    claim: str
    topic: str
    subject: str
    kind: Kind
    others: tuple[str, ...]
    differences: tuple[Difference, ...]

    @property
    def outcome(self) -> Outcome:
        """A claim of several effects is shown by all of them, and refuted by one."""
        outcomes = [difference.outcome for difference in self.differences]
        if "no" in outcomes:
            return "no"
        return "open" if "open" in outcomes else "yes"

    @property
    def verdict(self) -> str:
        """Whether they differ by what counts in any of the claim's effects, in whatever direction."""
        differ = [difference.apart for difference in self.differences]
        if True in differ:
            return "different"
        return "open" if None in differ else "alike"

    @property
    def sentence(self) -> str:
        """The numbers that decide, the subject's first."""
        return _sentence((self,))


@dataclass(frozen=True)
class Cause:
    """What the controls of a subject say of a claim."""

    claim: str
    topic: str
    subject: str
    held: tuple[Held, ...]

    @property
    def verdict(self) -> str:
        """learned, language, both, neither; open where the texts do not tell; of one control what it says alone."""
        return in_a_word({CAUSES[one.kind]: one.outcome for one in self.held})

    @property
    def sentence(self) -> str:
        """The numbers that decide, the subject's first."""
        return _sentence(self.held)


def in_a_word(outcomes: Mapping[str, Outcome]) -> str:
    """What several outcomes make together. outcomes: of `learned` and `language`, or of one of them."""
    yes = [cause for cause, outcome in outcomes.items() if outcome == "yes"]
    if yes:
        return " and ".join(yes)
    if "open" in outcomes.values():
        return "open"
    return "neither" if len(outcomes) > 1 else f"not {next(iter(outcomes))}"


def causes(subjects: Sequence[Subject]) -> list[Cause]:
    """Of every subject that stands beside a control of its own, claim by claim."""
    every = []
    for subject in subjects:
        by_kind = _controls(subject, subjects)
        held = [one for kind, others in by_kind.items() for one in _held(subject, others, kind)]
        for claim in dict.fromkeys(one.claim for one in held):
            of_claim = tuple(one for one in held if one.claim == claim)
            every.append(Cause(claim, of_claim[0].topic, subject.name, of_claim))
    return every


def other_differences(subjects: Sequence[Subject]) -> list[Held]:
    """The first subject held against each that is no control of it, nor of the others, claim by claim."""
    first, *others = subjects
    controls = {id(one) for subject in subjects for some in _controls(subject, subjects).values() for one in some}
    alone = [one for one in others if id(one) not in controls] if id(first) not in controls else others
    return [held for other in alone for held in _held(first, [other], "another")]


def causes_table(subjects: Sequence[Subject]) -> pd.DataFrame:
    """One row an effect and control.

    Columns claim, topic, subject, against, kind, effect, first, second, difference, low, high, margin, outcome, verdict.
    kind: untrained, shuffled, another; verdict: of the claim in that subject, empty where there is no control.
    """
    of_claims = [(held, cause.verdict) for cause in causes(subjects) for held in cause.held]
    of_claims += [(held, "") for held in other_differences(subjects)]
    rows = [
        {
            "claim": held.claim,
            "topic": held.topic,
            "subject": held.subject,
            "against": ", ".join(held.others),
            "kind": held.kind,
            "effect": one.bars.effect,
            "first": one.first,
            "second": one.second,
            "difference": one.first - one.second,
            "low": one.low,
            "high": one.high,
            "margin": one.margin,
            "outcome": one.outcome,
            "verdict": verdict,
        }
        for held, verdict in of_claims
        for one in held.differences
    ]
    return pd.DataFrame(rows).sort_values("claim", kind="stable", ignore_index=True) if rows else pd.DataFrame()


def few_twins(subjects: Sequence[Subject]) -> str:
    """Says how few twins stand behind what is called learned; empty where they are enough, or none is asked."""
    fewest = min(
        (len(twins) for one in subjects if (twins := _controls(one, subjects).get("untrained"))), default=SEEDS
    )
    return too_few(fewest)


def too_few(twins: int) -> str:
    """The same of a number of twins."""
    if twins >= SEEDS:
        return ""
    number = "one untrained twin" if twins == 1 else f"{twins} untrained twins"
    return f"Learned is said against {number}: how far twins of other seeds differ takes {SEEDS}."


def _held(subject: Subject, others: Sequence[Subject], kind: Kind) -> Iterator[Held]:
    """The claims that the subject and all the others can be asked."""
    of_other = [{one.bars.effect: one for one in differences(subject.results, other.results)} for other in others]
    by_claim: dict[str, list[Difference]] = {}
    for effect, one in of_other[0].items():
        if all(effect in some for some in of_other):
            by_claim.setdefault(one.bars.claim, []).append(together([some[effect] for some in of_other]))
    for claim, of_claim in by_claim.items():
        yield Held(claim, TOPICS[claim], subject.name, kind, tuple(one.name for one in others), tuple(of_claim))


def together(against_each: Sequence[Difference]) -> Difference:
    """The difference to the mean of several others, with an interval that holds each of theirs."""
    lows, highs = ([getattr(one, bound) for one in against_each] for bound in ("low", "high"))
    second = sum(one.second for one in against_each) / len(against_each)
    return replace(against_each[0], second=second, low=float(np.min(lows)), high=float(np.max(highs)))


def _controls(subject: Subject, subjects: Sequence[Subject]) -> dict[Kind, list[Subject]]:
    """The twins and the shuffled texts of a subject among the others."""
    controls: dict[Kind, list[Subject]] = {}
    for other in subjects:
        if kind := _control(subject, other):
            controls.setdefault(kind, []).append(other)
    return controls


def _control(subject: Subject, other: Subject) -> Kind | None:
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


def _called(held: Held) -> str:
    if held.kind == "another":
        return held.others[0]
    return NAMES[held.kind] if len(held.others) == 1 else f"mean of {len(held.others)} {NAMES[held.kind]}s"


def _sentence(held: Sequence[Held]) -> str:
    """Effect by effect: the subject's number, then those of the others with the difference."""
    parts = []
    for bars, own in {one.bars: one for some in held for one in some.differences}.items():
        beside = [f"{_called(some)} {one.in_words}" for some in held for one in some.differences if one.bars == bars]
        parts.append("; ".join([f"{BRIEFLY[bars.effect]} {bars.number(own.first)}", *beside]))
    return ". ".join(part[0].upper() + part[1:] for part in parts)
