"""The specification curve of an effect as a whole: is its median beyond chance, and what does each choice explain of it?

The curve is that of the paper's measure: the choices that the paper leaves open. The joint test is of Simonsohn, Simmons &
Nelson 2020, "Specification curve analysis"; what a choice explains is the share of the sum of squares between its levels.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from attn_core.findings.bars import BARS
from attn_core.numerics.sign_flips import FEWEST, joint_flip_p
from attn_core.reproduction.answers import Answer, OfTexts
from attn_core.reproduction.choices import DIMENSIONS, FACTORS, PAPERS, SUBJECT, combinations
from attn_core.reproduction.job import ReproductionSettings

COLUMNS = (
    "corpus", "model", "control", "seed", "claim", "effect_name", "combinations", "median", "chance", "p", *FACTORS,
)  # fmt: skip
Answers = Mapping[tuple[object, ...], Answer]  # by combination, its values in the order of `choices.DIMENSIONS`


def curve_rows(verdicts: pd.DataFrame, answers: Answers, settings: ReproductionSettings) -> Iterator[dict[str, Any]]:
    """A row an effect of one subject: columns `COLUMNS`. verdicts: its rows; of the measure, the part is over all measures."""
    for bars in BARS:
        every = combinations(verdicts, bars.effect).dropna(subset="effect")
        own = every[every["measure"] == PAPERS]
        if own.empty:
            continue
        of_curve = [answers[tuple(row)] for row in own[list(DIMENSIONS)].itertuples(index=False)]
        yield {
            **own.iloc[0][[*SUBJECT, "claim", "effect_name"]].to_dict(),
            "combinations": len(own),
            "median": own["effect"].median(),
            "chance": own["chance"].median(),
            "p": _joint_p(own, of_curve, bars.effect, settings),
            **{name: explained(every if name == "by_measure" else own, by) for name, by in FACTORS.items()},
        }


def explained(rows: pd.DataFrame, by: Sequence[str]) -> float:
    """The share of the sum of squares of the effects that lies between the levels of a choice; NaN where it has one level."""
    levels = rows.groupby(list(by))["effect"].transform("mean")
    total = ((rows["effect"] - rows["effect"].mean()) ** 2).sum()
    if len(rows.drop_duplicates(list(by))) < 2 or total == 0:
        return np.nan
    return float(((levels - rows["effect"].mean()) ** 2).sum() / total)


def _joint_p(rows: pd.DataFrame, answers: Sequence[Answer], effect: str, settings: ReproductionSettings) -> float:
    """Of the whole curve; NaN for so few texts that no p could lie below 0.05."""
    of_texts = [one for one in answers if isinstance(one, OfTexts)]
    texts = np.unique(np.concatenate([one.texts for one in of_texts])) if of_texts else np.zeros(0)
    if len(of_texts) < len(answers) or len(texts) < FEWEST:
        return np.nan
    influences = np.zeros((len(of_texts), len(texts)))  # a text that a choice leaves out moves nothing
    for row, one in zip(influences, of_texts, strict=True):
        row[np.searchsorted(texts, one.texts)] = one.influence[effect] * len(texts) / len(one.texts)
    return joint_flip_p(influences, (rows["effect"] - rows["chance"]).to_numpy(), settings.flips, settings.seed)
