"""What the reports have in common: the question before their numbers, the claims one by one, and how it was made behind them."""

from collections.abc import Mapping, Sequence

from attn_core.columns.dictionary import paper, question, terms
from attn_core.findings.verdicts import CLAIMS, Finding
from attn_core.io.paths import last_part
from attn_core.report import cells
from attn_core.report.document import Entry, Figure, Report, Section, Table

TERMS = ("head_output", "similarity", "strong_pairs", "chance", "anchor", "role", "verdict")
OURS = (
    "The paper's threshold, its corpus and its treatment of special tokens are not known to us: the share of pairs and the bars "
    "of the verdicts are our choices, named above, and so is any measure but the scalar product. Other choices may turn a "
    "verdict.",
    "A verdict speaks of these texts and this model alone. Structure alone brings about much: whether something is learned is "
    "told only by the model beside its twins, and whether it is language by the shuffled text: a comparison.",
)


def made_of(
    title: str,
    kind: str,
    asked: Section,
    own: Sequence[Section],
    *,
    method: Section,
    read: Sequence[Table],
    limits: Sequence[str],
    again: str,
) -> Report:
    """A report: what is asked, its own parts, their limits, how to make it again; folded, what words mean and what was read."""
    return Report(
        title,
        kind,
        (
            asked,
            *own,
            Section("Limits", told=tuple(limits)),
            Section("To make it again", code=again),
            method,
            Section("What was read, and how", tables=tuple(read), folded=True),
        ),
    )


def of_the_paper() -> Section:
    """The question, and whose claims it is about."""
    named, address = paper()
    told = (
        f"C1 to C6 are claims of the abstract of {named}. C7, and that distances drop by about 30%, stand in summaries of it, "
        "not in its abstract. The paper studied bert-base-uncased."
    )
    return Section("The question", points=(question(), f"{told} {address}"))


def of_its_own(asked: str) -> Section:
    """The question of all, and the one of this kind of report."""
    return Section("The question", points=(question(), asked))


def method(names: Sequence[str], more: Sequence[str] = (), tables: Sequence[Table] = ()) -> Section:
    """The terms that are used, and what the columns of the tables mean."""
    points = (*(terms()[name] for name in names), *more)
    return Section("Method: what the words mean", points=points, tables=tuple(tables), folded=True)


def claim_by_claim(
    found: Sequence[Finding], figures: Mapping[str, Sequence[Figure]], heading: str = "Claim by claim"
) -> Section:
    """An entry a claim: its rows in sentences, with its figures below them, and folded the rules with the numbers put in."""
    entries = []
    for claim, words in CLAIMS.items():
        rows = [one for one in found if one.claim == claim]
        told = (f"{one.topic}: {one.label}. {one.sentence}".strip() for one in rows)
        entries.append(Entry(f"{claim}: {words}", tuple(told), tuple(figures.get(claim, ()))))
    return Section(heading, entries=tuple(entries), tables=(cells.of_rules(found),))


def short(model: str) -> str:
    """A model without its publisher or folder."""
    name, comma, more = model.partition(", ")
    return last_part(name) + comma + more
