"""The temperature of head A's attention: its effect and one statistic of the head from cold to warm, in the background."""

from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from attn_core.analysis.one_text import analyze_reading
from attn_core.analysis.reading import read
from attn_core.charts.interventions import by_temperature
from attn_core.head import Head
from attn_core.measures.statistics import STATISTICS, Statistic
from attn_core.models.intervention import Intervention
from attn_core.similarity.strong_pairs import Settings
from attn_core.ui.caches import models_held, readings, removals
from attn_core.ui.choice import TextKey
from attn_core.ui.interventions.heads_off import Removed
from attn_core.ui.interventions.importance_of_heads import choose_statistic
from attn_core.ui.runs import in_thread
from attn_core.ui.shell.view import TextView
from attn_core.ui.widgets import show

TEMPERATURES = ("0.1", "0.2", "0.5", "1", "2", "5", "10")
CHOSEN = "5"


def show_temperature(view: TextView, removed: Removed) -> None:
    """The slider with the effect at its temperature, and the curves once they are asked for."""
    head, key = view.head_a, removed.key
    if not models_held.model(key.spec).uses_interface:
        st.caption(
            ":material/info: The attention of this model cannot be changed, since it keeps it to itself: there is no temperature "
            "to move."
        )
        return
    with show.facts():
        chosen = st.select_slider(
            f"Temperature T of {head}", TEMPERATURES, value=CHOSEN, key="temperature", bind="query-params", width=320,
            help="Its attention scores are divided by T: 1 changes nothing, a large T lets every token attend evenly, a small "
            "one to one token alone.",
        )  # fmt: skip
        statistic = choose_statistic(view, "and of", "warmed", 240)
        effect = removals.effect(key, (head,), _at(float(chosen)))
        show.beside_chance(f"Effect of {head} at T = {chosen}", f"{effect.embedding[0]:.3%}", "0 at T = 1")
    in_thread.on_request(
        "temperature",
        (key, head, view.choice.settings),
        lambda: [partial(counted_at, key, head, float(t), view.choice.settings) for t in TEMPERATURES],
        partial(_draw, view, head, statistic, float(chosen)),
        f"Move the temperature of {head}",
        "thermostat",
        "The text is read and counted at each temperature, in the background.",
    )


def counted_at(key: TextKey, head: Head, temperature: float, settings: Settings) -> dict[str, Any]:
    """Effect on the embedding and every statistic of the head, with chance, at one temperature."""
    how = _at(temperature)
    model = models_held.model(replace(key.spec, intervention=replace(how, heads=(head,))))
    document = readings.document(key.text, key.language)
    statistics = analyze_reading(read(model, document, key.layout, key.number), settings).statistics
    row = statistics.set_index(["layer", "head"]).loc[head.row]
    effect = float(removals.effects(key, [(head,)], how)[0])
    values = {name: row[name] for s in STATISTICS for name in (s.name, s.chance)}
    return {"temperature": temperature, "effect": effect, **values}


def _at(temperature: float) -> Intervention:
    return Intervention((), "temperature", temperature)


def _draw(view: TextView, head: Head, statistic: Statistic, chosen: float, work: in_thread.Work) -> None:
    if work.parts:
        curve = pd.DataFrame(work.parts)
        shows = {"intervention": f"temperature of {head}"}
        effect = by_temperature(curve[["temperature", "effect"]], "effect", "effect (1 − cosine)", "~%", chosen)
        of = curve[["temperature", statistic.name, statistic.chance]]
        of_head = by_temperature(of, statistic.name, statistic.axis_title, statistic.axis_format, chosen)
        figures = (
            ("temperature-effect", f"Effect of the temperature of {head}", effect),
            ("temperature-statistic", f"{statistic.label} of {head} by its temperature", of_head),
        )
        for side, (name, title, figure) in zip(st.columns(2, gap="large"), figures, strict=True):
            with side:
                show.chart(figure, name, title, across=0.5, shows=shows)
        st.caption(f"{_sentence(curve, head, statistic)} Dashed: chance; upright: the chosen temperature.")
        provenance = view.provenance(temperature_of=str(head), window=view.window.passage.index + 1)
        shown = curve[["temperature", "effect", statistic.name, statistic.chance]]
        show.table(shown, "temperature-curve", provenance, columns=show.shares("effect"))
    in_thread.progress(work, "Temperatures", "temperature")


def _sentence(curve: pd.DataFrame, head: Head, statistic: Statistic) -> str:
    first, last = curve.iloc[0], curve.iloc[-1]
    return (
        f"{statistic.label} of {head}: {statistic.text(first[statistic.name])} at T = {first['temperature']:g} and "
        f"{statistic.text(last[statistic.name])} at T = {last['temperature']:g} (chance "
        f"{statistic.text(first[statistic.chance])}); the sentence embedding moves by {first['effect']:.3%} and "
        f"{last['effect']:.3%}."
    )
