"""The specification curve of an effect as page and report draw it, and how firm a claim is, in words."""

from collections.abc import Mapping, Sequence

import altair as alt
import pandas as pd

from attn_core.charts.reproduction import Effects, specification_curve
from attn_core.comparison.differences import BRIEFLY
from attn_core.findings.bars import Bars
from attn_core.findings.robustness import CHOICES
from attn_core.findings.verdicts import PAPER_DROP
from attn_core.reproduction.choices import BOTH_LAYOUTS, DIMENSIONS, SHARES
from attn_core.reproduction.firmness import MOVES
from attn_core.similarity.strong_pairs import MEASURES, UNITS
from attn_core.study.in_words import LABELS, percent

ORDER: Mapping[str, Sequence[tuple[object, str]]] = {  # what can be chosen, by column, each with its words
    "measure": [(measure, LABELS[measure]) for measure in MEASURES],
    "share": [(share, f"strongest {100 * share:g} %") for share in SHARES],
    "special": [("in", "special tokens in"), ("out", "special tokens out")],
    "unit": [(unit, unit) for unit in UNITS],
    "layout": [(layout, f"{layout} layout") for layout in BOTH_LAYOUTS],
}
NAMED = {str(name): words for name, words in CHOICES.items()} | {"layout": "layout"}  # a dimension in words
PAPERS = {"reach": -PAPER_DROP}  # the figures that the paper gives, by effect
FORMS = {"times": ".2f", "share": ".0%", "change": "+.0%", "points": "+.0%"}


def drawn_curve(curve: pd.DataFrame, bars: Bars) -> alt.LayerChart:
    """The curve of an effect, with the choices that can move its claim. curve: as `conclusions.curve_table` makes it."""
    choices = {name: [one for one in ORDER[name] if (curve[name] == one[0]).any()] for name in MOVES[bars.claim]}
    shown_as = Effects(BRIEFLY[bars.effect], FORMS[bars.unit], (bars.paper, bars.against), PAPERS.get(bars.effect))
    return specification_curve(curve, choices, shown_as)


def firm_in_words(rows: pd.DataFrame) -> str:
    """Of a claim's rows of the firmness table, the least firm choice first."""
    order = rows.sort_values(
        ["stays", "dimension"], key=lambda column: column if column.name == "stays" else column.map(DIMENSIONS.index)
    )
    told = [f"{NAMED[row.dimension]} {percent(row.stays)} of {row.compared}" for row in order.itertuples()]
    return f"Of two combinations that differ in one choice alone, so many have the same verdict: {', '.join(told)}."
