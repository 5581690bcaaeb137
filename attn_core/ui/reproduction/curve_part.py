"""One claim under every choice: the specification curve, what moves the verdict, and what other pages add."""

import pandas as pd
import streamlit as st

from attn_core.charts.reproduction import Effects, specification_curve
from attn_core.comparison.differences import BRIEFLY
from attn_core.findings.bars import BARS, Bars
from attn_core.findings.verdicts import CLAIMS, PAPER_DROP, TOPICS
from attn_core.reproduction.choices import BOTH_LAYOUTS, DIMENSIONS, SHARES
from attn_core.reproduction.conclusions import Standing, curve_table
from attn_core.reproduction.firmness import MOVES
from attn_core.similarity.strong_pairs import MEASURES, UNITS
from attn_core.study.in_words import LABELS
from attn_core.ui.findings.firmness import CHOICES
from attn_core.ui.reproduction.choosing import Shown, choose_claim, short
from attn_core.ui.widgets import show
from attn_core.ui.widgets.address import keep_among
from attn_core.ui.widgets.escape import plain
from attn_core.ui.widgets.sections import section

ORDER: dict[str, list[tuple[object, str]]] = {  # what can be chosen, by column, each with its words
    "measure": [(measure, LABELS[measure]) for measure in MEASURES],
    "share": [(share, f"strongest {100 * share:g} %") for share in SHARES],
    "special": [("in", "special tokens in"), ("out", "special tokens out")],
    "unit": [(unit, unit) for unit in UNITS],
    "layout": [(layout, f"{layout} layout") for layout in BOTH_LAYOUTS],
}
NAMED: dict[str, str] = {str(name): words for name, words in CHOICES.items()} | {"layout": "layout"}
PAPERS = {"reach": -PAPER_DROP}  # the figures that the paper gives, by effect


def show_curve(shown: Shown, standings: dict[str, Standing]) -> None:
    """The curve of a claim in a model, and what belongs to it."""
    section("One claim under every choice")
    claim, model = choose_claim(shown.models)
    effects = {BRIEFLY[bars.effect]: bars for bars in BARS if bars.claim == claim}
    label = next(iter(effects))
    if len(effects) > 1:
        keep_among("curve_effect", list(effects), label)
        label = st.segmented_control(
            "Effect", list(effects), default=label, required=True, key="curve_effect", bind="query-params"
        )
    bars = effects[label]
    st.markdown(
        f":violet-badge[{claim}] :gray[Claimed: {CLAIMS[claim]}.] {plain(_capital(bars.words))}: {plain(bars.rule)}."
    )
    if claim in standings:
        st.markdown(plain(standings[claim].under_usual_choice))
    verdicts = shown.reproduction.verdicts
    curve = curve_table(verdicts[verdicts["corpus"] == shown.corpus], claim, bars.effect, model)
    if curve.empty:
        st.info("No choice gives a number here.", icon=":material/info:")
        return
    choices = {name: [one for one in ORDER[name] if (curve[name] == one[0]).any()] for name in MOVES[claim]}
    show.chart(
        specification_curve(curve, choices, _shown_as(bars)),
        f"curve-{bars.effect}",
        f"{claim} {TOPICS[claim]} in {short(model)} under every choice: {bars.words}",
        shows={"models": short(model)},
    )
    _firmness(shown, claim, model)
    show.folded_table(
        "The curve in numbers",
        curve,
        "curve",
        {**shown.provenance, "model": model, "claim": claim, "effect": bars.effect},
    )


def _shown_as(bars: Bars) -> Effects:
    form = {"times": ".2f", "share": ".0%", "change": "+.0%", "points": "+.0%"}[bars.unit]
    return Effects(BRIEFLY[bars.effect], form, (bars.paper, bars.against), PAPERS.get(bars.effect))


def _firmness(shown: Shown, claim: str, model: str) -> None:
    """By choice, how often the verdict stays when it alone is changed."""
    table = shown.reproduction.firmness
    rows = table[
        (table["corpus"] == shown.corpus) & (table["model"] == model) & (table["control"] == "none") & (table["claim"] == claim)
    ]  # fmt: skip
    if rows.empty:
        return
    st.markdown(f"**How firm?** {plain(firm_in_words(rows))}")


def firm_in_words(rows: pd.DataFrame) -> str:
    """Of a claim's rows of the firmness table, the least firm choice first."""
    order = rows.sort_values(
        ["stays", "dimension"], key=lambda column: column if column.name == "stays" else column.map(DIMENSIONS.index)
    )
    told = [f"{NAMED[row.dimension]} {row.stays:.0%} of {row.compared}" for row in order.itertuples()]
    return f"Of two combinations that differ in one choice alone, so many have the same verdict: {', '.join(told)}."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
