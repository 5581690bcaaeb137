"""One row of a claim under every choice: the specification curve, what moves the number, and what other pages add."""

import streamlit as st

from attn_core.findings.bars import Bars
from attn_core.reproduction.conclusions import Standing, curve_table, short
from attn_core.reproduction.curves import drawn_curve, whole_in_words
from attn_core.ui.reproduction.choosing import Shown, choose_row
from attn_core.ui.reproduction.in_a_text import show_in_a_text
from attn_core.ui.widgets import show
from attn_core.ui.widgets.escape import plain
from attn_core.ui.widgets.sections import section


def show_curve(shown: Shown, standings: dict[Bars, Standing]) -> None:
    """The curve of a row in a model, and what belongs to it."""
    section("One row under every choice")
    bars, model = choose_row(shown.models)
    words = bars.words[:1].upper() + bars.words[1:]
    st.markdown(f":violet-badge[{bars.claim}] :gray[Claimed: {bars.abstract}.] {plain(words)}: {plain(bars.rule)}.")
    if bars in standings and not standings[bars].effect:
        st.markdown(plain(standings[bars].reason))
    verdicts = shown.reproduction.verdicts
    verdicts = verdicts[verdicts["corpus"] == shown.corpus]
    curve = curve_table(verdicts, bars.effect, model)
    if curve.empty:
        st.info("No choice gives a number here.", icon=":material/info:")
        return
    title = f"{bars.name} in {short(model)} under every choice: {bars.words}"
    show.chart(drawn_curve(curve, bars), f"curve-{bars.effect}", title, shows={"models": short(model)})
    _whole(shown, bars, model)
    every = curve_table(verdicts, bars.effect, model, extension=True)
    if "measure" in every:

        def draw() -> None:
            if bars in standings:
                st.markdown(plain(standings[bars].beyond_the_paper))
            show.chart(drawn_curve(every, bars), f"extension-{bars.effect}", f"{title}, and other measures")

        show.folded("Our extension: cosine and centred cosine", "extension", draw)
    show_in_a_text(shown, bars.claim, model)

    def numbers() -> None:
        if bars in standings:
            st.markdown(plain(standings[bars].under_usual_choice))
        show.table(every, "curve", {**shown.provenance, "model": model, "effect": bars.effect})

    show.folded("The curve in numbers", "curve", numbers)


def _whole(shown: Shown, bars: Bars, model: str) -> None:
    """The curve as a whole: the joint test, and what each choice explains of it."""
    table = shown.reproduction.curves
    rows = table[
        (table["corpus"] == shown.corpus) & (table["model"] == model) & (table["control"] == "none")
        & (table["effect_name"] == bars.effect)
    ]  # fmt: skip
    for row in rows.to_dict("records"):
        st.markdown(" ".join(plain(sentence) for sentence in whole_in_words(row, bars) if sentence))
