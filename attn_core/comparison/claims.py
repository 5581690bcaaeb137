"""The claims in one subject with its baselines and the others beside it: what their picture is drawn from."""

from collections.abc import Sequence

import pandas as pd

from attn_core.comparison.causes import NOT_ASKED, causes, other_differences
from attn_core.comparison.subjects import Subject, nulls_of
from attn_core.findings.claims_table import claims_table
from attn_core.findings.verdicts import findings


def claims_beside(subjects: Sequence[Subject]) -> pd.DataFrame:
    """The claims in the first subject, as of `claims_table`.

    Its twins and the shuffled text stand beside it, where they are among the subjects, with the word of learning, or that of
    language where there is none; else the next subject, and whether they differ.
    """
    first = subjects[0]
    own = {cause.bars.effect: cause for cause in causes(subjects) if cause.subject == first.name}
    beside: dict[str, dict[str, float]] = {}
    for effect, cause in own.items():
        for one in cause.contrasts:
            beside.setdefault(one.kind, {})[effect] = one.difference.second
    words = {effect: cause.learned if cause.learned != NOT_ASKED else cause.label for effect, cause in own.items()}
    others = other_differences(subjects) if len(subjects) > 1 else []
    for one in (one for one in others if one.others == others[0].others):
        beside.setdefault("other", {})[one.bars.effect] = one.difference.second
        words.setdefault(one.bars.effect, one.verdict)
    told = {effect: word for effect, word in words.items() if word != NOT_ASKED}
    return claims_table(findings(first.results, nulls_of(first, subjects)), beside, told)
