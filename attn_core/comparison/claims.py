"""The claims in one subject with its baselines and the others beside it: what their picture is drawn from."""

from collections.abc import Sequence

import pandas as pd

from attn_core.comparison.causes import NOT_ASKED, Cause, Contrast, causes, other_differences
from attn_core.comparison.subjects import Subject, nulls_of
from attn_core.findings.bars import BY_EFFECT
from attn_core.findings.claims_table import claims_table
from attn_core.findings.verdicts import Finding, findings


def claims_beside(subjects: Sequence[Subject]) -> pd.DataFrame:
    """The claims in the first subject, with all the others beside it, see `claims_with`."""
    first = subjects[0]
    own = [one for cause in causes(subjects) if cause.subject == first.name for one in cause.contrasts]
    others = other_differences(subjects) if len(subjects) > 1 else []
    return claims_with(findings(first.results, nulls_of(first, subjects)), [*own, *others])


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
