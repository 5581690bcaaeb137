"""One claim under every choice: the specification curve, what moves the verdict, and what other pages add."""

import streamlit as st

from attn_core.comparison.differences import BRIEFLY
from attn_core.findings.bars import BARS
from attn_core.findings.verdicts import CLAIMS, TOPICS
from attn_core.reproduction.conclusions import Standing, curve_table, short
from attn_core.reproduction.curves import drawn_curve, firm_in_words
from attn_core.ui.reproduction.choosing import Shown, choose_claim
from attn_core.ui.reproduction.in_a_text import show_in_a_text
from attn_core.ui.widgets import show
from attn_core.ui.widgets.address import keep_among
from attn_core.ui.widgets.escape import plain
from attn_core.ui.widgets.sections import section


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
        told = standings[claim]
        st.markdown(plain(" ".join(filter(None, (told.under_usual_choice, told.caution)))))
    verdicts = shown.reproduction.verdicts
    curve = curve_table(verdicts[verdicts["corpus"] == shown.corpus], claim, bars.effect, model)
    if curve.empty:
        st.info("No choice gives a number here.", icon=":material/info:")
        return
    show.chart(
        drawn_curve(curve, bars),
        f"curve-{bars.effect}",
        f"{claim} {TOPICS[claim]} in {short(model)} under every choice: {bars.words}",
        shows={"models": short(model)},
    )
    _firmness(shown, claim, model)
    show_in_a_text(shown, claim, model)
    show.folded_table(
        "The curve in numbers",
        curve,
        "curve",
        {**shown.provenance, "model": model, "claim": claim, "effect": bars.effect},
    )


def _firmness(shown: Shown, claim: str, model: str) -> None:
    """By choice, how often the verdict stays when it alone is changed."""
    table = shown.reproduction.firmness
    rows = table[
        (table["corpus"] == shown.corpus) & (table["model"] == model) & (table["control"] == "none") & (table["claim"] == claim)
    ]  # fmt: skip
    if rows.empty:
        return
    st.markdown(f"**How firm?** {plain(firm_in_words(rows))}")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
