"""The specification curve of an effect as page and report draw it, and what it says as a whole."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import altair as alt
import pandas as pd

from attn_core.charts.reproduction import Effects, specification_curve
from attn_core.findings.bars import Bars
from attn_core.findings.table import FIGURES
from attn_core.reproduction.choices import BOTH_LAYOUTS, SHARES
from attn_core.similarity.strong_pairs import MEASURES
from attn_core.similarity.words import UNITS
from attn_core.study.in_words import LABELS, percent

ORDER: Mapping[str, Sequence[tuple[object, str]]] = {  # what can be chosen, by column, each with its words
    "measure": [(measure, LABELS[measure]) for measure in MEASURES],
    "share": [(share, f"strongest {100 * share:g}%") for share in SHARES],
    "special": [("in", "special tokens in"), ("out", "special tokens out")],
    "unit": [(unit, unit) for unit in UNITS],
    "layout": [(layout, f"{layout} layout") for layout in BOTH_LAYOUTS],
}
NAMED = {
    "measure": "measure", "share": "share of strong pairs", "special": "special tokens", "unit": "unit", "layout": "layout",
}  # fmt: skip  # a dimension in words
FACTORS = {"by_share": "share of strong pairs", "by_pairs": "tokens or words", "by_layout": "layout"}
FORMS = {"times": ".2f", "share": ".0%", "change": "+.0%"}


def drawn_curve(curve: pd.DataFrame, bars: Bars) -> alt.LayerChart:
    """The curve of an effect, with the choices that can move it. curve: as `conclusions.curve_table` makes it."""
    choices = {name: [one for one in ORDER[name] if (curve[name] == one[0]).any()] for name in ORDER if name in curve}
    shown_as = Effects(bars.label, FORMS[bars.unit], (bars.paper, bars.against), FIGURES.get(bars.effect))
    return specification_curve(curve, choices, shown_as)


def whole_in_words(row: Mapping[Hashable, Any], bars: Bars) -> tuple[str, str]:
    """What a curve says as a whole, and what each choice explains of it. row: of the table of curves."""
    first = (
        f"{row['combinations']} combinations of the scalar product, median {bars.number(row['median'])} (chance "
        f"{bars.number(row['chance'])})."
    )
    parts = [f"{words} {percent(row[name])}" for name, words in FACTORS.items() if not pd.isna(row[name])]
    measure = (
        ""
        if pd.isna(row["by_measure"])
        else f"; in our extension to other measures, the measure {percent(row['by_measure'])}"
    )
    return first, f"Of its spread, choices explain: {', '.join(parts)}{measure}." if parts else ""
