"""What is learned, what is language: the effect of each claim in a model, held against the same in its controls.

*Learned*: the effect differs from that of the untrained twins in the claim's direction, and the whole 95 % interval of the
difference lies beyond the smallest difference that counts. *Language*: the same against the shuffled text. Both are said of
the effect, not of a verdict on the claim: two subjects can both be as in the paper and far apart, or both unlike it.
Subjects that are no control of each other are told apart by the same rule, without a cause.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd

from attn_core.comparison.effects import Effect, effects_of_both, interval_between
from attn_core.comparison.subjects import Subject

Kind = Literal["untrained", "shuffled", "another"]
Outcome = Literal["yes", "no", "open"]
TWIN = "+untrained-"  # what `models` adds to the revision of a twin, before its seed
SEEDS = 3  # of twins: fewer do not tell how far one differs from the next
SAME = ("measure", "share", "with_special", "unit")  # settings that a control shares with its model
TEXTS = ("text_sha256", "windows", "corpus_sha256")  # and what it reads
CAUSES: dict[Kind, str] = {"untrained": "learned", "shuffled": "language"}
NAMES: dict[Kind, str] = {"untrained": "untrained twin", "shuffled": "shuffled text"}


@dataclass(frozen=True)
class Difference:
    """One effect in a subject minus the same in another, or in the mean of several twins; low and high of its 95 % interval.

    low, high: NaN where the texts bear no interval; of several twins the widest of theirs.
    """

    effect: Effect
    first: float
    second: float
    low: float
    high: float

    @property
    def outcome(self) -> Outcome:
        """Whether the first has more of the claim's effect by what counts; open where the interval does not tell."""
        low, high = sorted((self.effect.sign * self.low, self.effect.sign * self.high))
        if low > self.effect.margin:
            return "yes"
        return "no" if high < self.effect.margin else "open"

    @property
    def apart(self) -> bool | None:
        """Whether they differ by what counts, in whatever direction; None where the interval does not tell."""
        if max(self.low, -self.high) > self.effect.margin:
            return True
        return False if max(-self.low, self.high) < self.effect.margin else None

    @property
    def in_words(self) -> str:
        """The other's number, the difference, its interval."""
        difference = self.effect.difference(self.first - self.second, self.low, self.high)
        return f"{self.effect.text(self.second)} (difference {difference})"


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
        found = [difference.outcome for difference in self.differences]
        if "no" in found:
            return "no"
        return "open" if "open" in found else "yes"

    @property
    def verdict(self) -> str:
        """Whether they differ by what counts in any of the claim's effects, in whatever direction."""
        found = [difference.apart for difference in self.differences]
        if True in found:
            return "different"
        return "open" if None in found else "alike"

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
        found = {CAUSES[one.kind]: one.outcome for one in self.held}
        yes = [cause for cause, outcome in found.items() if outcome == "yes"]
        if yes:
            return " and ".join(yes)
        if "open" in found.values():
            return "open"
        return "neither" if len(found) > 1 else f"not {next(iter(found))}"

    @property
    def sentence(self) -> str:
        """The numbers that decide, the subject's first."""
        return _sentence(self.held)


def causes(subjects: Sequence[Subject]) -> list[Cause]:
    """Of every subject that stands beside a control of its own, claim by claim."""
    found = []
    for subject in subjects:
        by_kind = _controls(subject, subjects)
        held = [one for kind, others in by_kind.items() for one in _held(subject, others, kind)]
        for claim in dict.fromkeys(one.claim for one in held):
            of_claim = tuple(one for one in held if one.claim == claim)
            found.append(Cause(claim, of_claim[0].topic, subject.name, of_claim))
    return found


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
    found = [(held, cause.verdict) for cause in causes(subjects) for held in cause.held]
    found += [(held, "") for held in other_differences(subjects)]
    rows = [
        {
            "claim": held.claim,
            "topic": held.topic,
            "subject": held.subject,
            "against": ", ".join(held.others),
            "kind": held.kind,
            "effect": one.effect.says,
            "first": one.first,
            "second": one.second,
            "difference": one.first - one.second,
            "low": one.low,
            "high": one.high,
            "margin": one.effect.margin,
            "outcome": one.outcome,
            "verdict": verdict,
        }
        for held, verdict in found
        for one in held.differences
    ]
    return pd.DataFrame(rows).sort_values("claim", kind="stable", ignore_index=True) if rows else pd.DataFrame()


def few_twins(subjects: Sequence[Subject]) -> str:
    """Says how few twins stand behind what is called learned; empty where they are enough, or none is asked."""
    fewest = min(
        (len(twins) for one in subjects if (twins := _controls(one, subjects).get("untrained"))), default=SEEDS
    )
    if fewest >= SEEDS:
        return ""
    number = "one untrained twin" if fewest == 1 else f"{fewest} untrained twins"
    return f"Learned is said against {number}: how far twins of other seeds differ takes {SEEDS}."


def _held(subject: Subject, others: Sequence[Subject], kind: Kind) -> Iterator[Held]:
    """The claims that the subject and all the others can be asked."""
    of_other = [_differences(subject, other) for other in others]
    found: dict[str, list[Difference]] = {}
    for says, difference in of_other[0].items():
        if all(says in differences for differences in of_other):
            together = _together([differences[says] for differences in of_other])
            found.setdefault(difference.effect.claim, []).append(together)
    for claim, differences in found.items():
        topic = differences[0].effect.topic
        yield Held(claim, topic, subject.name, kind, tuple(one.name for one in others), tuple(differences))


def _differences(subject: Subject, other: Subject) -> dict[str, Difference]:
    """Of every effect that both can be asked, by what it says."""
    first, second, paired = effects_of_both(subject.found, other.found)
    return {
        one.says: Difference(one, one.value, two.value, *interval_between(one, two, paired))
        for one, two in zip(first, second, strict=True)
    }


def _together(found: Sequence[Difference]) -> Difference:
    """The difference to the mean of several others, with an interval that holds each of theirs."""
    lows, highs = ([getattr(one, bound) for one in found] for bound in ("low", "high"))
    second = sum(one.second for one in found) / len(found)
    return replace(found[0], second=second, low=float(np.min(lows)), high=float(np.max(highs)))


def _controls(subject: Subject, subjects: Sequence[Subject]) -> dict[Kind, list[Subject]]:
    """The twins and the shuffled texts of a subject among the others."""
    found: dict[Kind, list[Subject]] = {}
    for other in subjects:
        if kind := _control(subject, other):
            found.setdefault(kind, []).append(other)
    return found


def _control(subject: Subject, other: Subject) -> Kind | None:
    """Which control of the one the other is, told from where both come from."""
    one, two = subject.found.provenance, other.found.provenance
    if any(one.get(name) != two.get(name) for name in (*SAME, *TEXTS)):
        return None
    (model, twin, _), (of_other, twin_of_other, _) = (about["revision"].partition(TWIN) for about in (one, two))
    if model != of_other or twin or one["layout"] == "shuffled":
        return None
    if twin_of_other:
        return "untrained" if two["layout"] == one["layout"] else None
    return "shuffled" if two["layout"] == "shuffled" else None


def _called(held: Held) -> str:
    if held.kind == "another":
        return held.others[0]
    return NAMES[held.kind] if len(held.others) == 1 else f"mean of {len(held.others)} {NAMES[held.kind]}s"


def _sentence(held: Sequence[Held]) -> str:
    """Effect by effect: the subject's number, then those of the others with the difference."""
    parts = []
    for says, own in {one.effect.says: one for some in held for one in some.differences}.items():
        beside = [
            f"{_called(some)} {one.in_words}" for some in held for one in some.differences if one.effect.says == says
        ]
        parts.append("; ".join([f"{says}: {own.effect.text(own.first)}", *beside]))
    return ". ".join(parts)
