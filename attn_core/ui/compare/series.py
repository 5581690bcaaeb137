"""What the Training page shows: which series, what the training did to heads, and head A step by step."""

from functools import partial
from pathlib import Path

import pandas as pd
import streamlit as st

from attn_core.charts.learning import learned_by_step, sureness_by_step
from attn_core.charts.series import drift_by_step, drift_of_head, heads_by_step, layers_by_step, roles_by_step
from attn_core.comparison.causes import too_few
from attn_core.head import Head
from attn_core.measures.roles import MIXED
from attn_core.measures.statistics import BY_LABEL, BY_NAME, STATISTICS, Statistic
from attn_core.report.of_series import of_series
from attn_core.series.gathered import claim_cells
from attn_core.series.opened import Series, loss
from attn_core.study.in_words import layout_in_words, settings_in_words
from attn_core.ui.runs.kinds import SERIES
from attn_core.ui.runs.watching import choose_run, open_run
from attn_core.ui.shell.handing_on import report_button
from attn_core.ui.widgets import show
from attn_core.ui.widgets.address import chosen
from attn_core.ui.widgets.controls import one_of
from attn_core.ui.widgets.escape import plain

COMMAND = """python -m attn_core series MODEL --revisions REVISION REVISION ... --texts TEXTS --out series/NAME
python -m attn_core series --checkpoints FOLDER --texts TEXTS --twins --entropy --out series/NAME"""


def show_series() -> None:
    """Choose a series, and see it: what the training did, a head in it, all heads, and the numbers."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        folder = choose_run(SERIES, width=420)
        with st.popover("Make one", icon=":material/add:", type="tertiary"):
            st.markdown("Of a model with revisions on the hub, or of the checkpoints that a training has left:")
            st.code(COMMAND, language="sh")
        series: Series | None = open_run(SERIES, folder)
        if folder is None or series is None:
            return
        many = len(series.numbers) > 1
        if many:
            # Head A of the other pages, unless another is chosen.
            rows = series.tables["settled"][["layer", "head"]].itertuples(index=False)
            names = [str(Head.of_row(*row)) for row in rows]
            start = asked if (asked := chosen("a")) in names else names[0]
            head = Head.named(one_of("Head", names, "series_head", start, width=120))
        report_button("series", folder.name, partial(of_series, series), quiet=True)
    model, settings = series.manifest["model"], series.manifest["settings"]
    words = [
        f"{folder.name}: {len(series.numbers)} steps of {Path(model).name}",
        layout_in_words(settings["layout"]),
        *settings_in_words(settings),
    ]
    st.caption(" · ".join(map(plain, words)))
    if not many:
        st.info("One step is no series yet: wait for the next, or add one.", icon=":material/hourglass_top:")
        return
    _facts(series)
    if "learned" in series.tables:
        _claims(series)
    left, right = st.columns(2, gap="large")
    with left:
        statistic = _layers(series)
    with right:
        st.header("When do roles appear?", anchor=False)
        st.caption("Heads by role; a head without a property that beats chance by 10% of its pairs is mixed.")
        roles = roles_by_step(series.tables["roles"])
        show.chart(roles, "series-roles", "Roles of the heads, step by step")
    _head(series, head, statistic)
    tables = series.tables
    show.folded(f"{statistic.label}, head by head", "series-heads", partial(_every_head, tables["heads"], statistic))
    show.folded("How far is each head from what it becomes?", "drift-of-heads", partial(_drift, series))
    if "entropies" in tables:
        show.folded("How sure of a word is each layer?", "series-entropies", partial(_sureness, series))
    show.folded("All of it in numbers", "series-layers", partial(_every_table, series))


def _facts(series: Series) -> None:
    """Since when heads are what they are, then what is learned and the loss, or reach and drift where those were not asked."""
    settled, last = series.tables["settled"], series.numbers[-1]
    named = settled[settled["role"] != MIXED.name]
    half = named["since_step"].quantile(0.5, interpolation="higher") if len(named) else None
    with show.facts():
        show.beside_chance(
            "Half of the heads have their role since",
            "no head has a role" if half is None else f"step {half:,.0f}",
            f"of the {len(named)} of {len(settled)} heads that have one at step {last:,}",
            "The step from which on a head has the role of the last step at every step.",
        )
        if "learned" in series.tables:
            learned = series.tables["learned"]
            since = learned["since_step"].dropna()
            first = "none yet" if since.empty else f"the first since step {since.min():,.0f}"
            other = f"{(learned['learned'] == 'the other way').sum()} the other way"
            show.beside_chance(
                "Rows of the claims that are learned", f"{len(since)} of {len(learned)}", f"{first}; {other}"
            )
        else:
            _reach(series)
        if "entropies" in series.tables:
            bits = loss(series.tables["entropies"])
            show.beside_chance(
                f"Loss, step {series.numbers[0]:,} to {last:,}",
                f"{bits['cross_entropy'].iloc[0]:.1f} to {bits['cross_entropy'].iloc[-1]:.1f} bits a word",
                f"an even guess among all words: {bits['chance_entropy'].iloc[0]:.1f}",
            )
        else:
            _changes_most(series)


def _reach(series: Series) -> None:
    layers, first, last = series.tables["layers"], series.numbers[0], series.numbers[-1]
    deepest = layers[layers["layer"] == layers["layer"].max()].set_index("step")
    reach = deepest["mean_distance"] / deepest["chance_mean_distance"]
    show.beside_chance(
        f"Reach of layer {deepest['layer'].iloc[0]}, step {first:,} to {last:,}",
        f"{reach[first]:.2f} to {reach[last]:.2f}",
        "times chance; chance: 1",
        "Mean distance of its heads' strong pairs over that of all pairs.",
    )


def _changes_most(series: Series) -> None:
    drift = series.tables["drift"]
    by_layer = drift[drift["step"] == series.numbers[0]].groupby("layer")["drift"].mean()
    show.beside_chance(
        f"Changes most: layer {by_layer.idxmax()}",
        f"{by_layer.max():.2f}",
        f"drift; chance: {drift['chance_drift'].mean():.2f}",
        "Drift from the first step to the last, mean of the layer's heads. 0: the same; 1: nothing in common.",
    )


def _claims(series: Series) -> None:
    """The rows of the claims step by step."""
    st.header("From which step on is it learned?", anchor=False)
    st.caption(
        "The effect of a row at a step. Learned: more than in either twin of that step, by the margin; position alone may do it. "
        f"{too_few(1)}"
    )
    show.chart(
        learned_by_step(claim_cells(series.tables["claims"])), "series-claims", "Rows of the claims, step by step"
    )


def _layers(series: Series) -> Statistic:
    """A statistic by step and layer."""
    st.header("Layer by layer", anchor=False)
    layers = series.tables["layers"]
    labels = [statistic.label for statistic in STATISTICS if statistic.name in layers]
    label = one_of("Statistic", labels, "series_statistic", width=320)
    statistic = BY_LABEL[label].over(series.manifest["settings"]["unit"])
    st.caption(f"{statistic.question} A line is a layer, dashed is chance.")
    show.chart(
        layers_by_step(layers, statistic), f"series-{statistic.name}", f"{statistic.label} of each layer, step by step"
    )
    return statistic


def _head(series: Series, head: Head, statistic: Statistic) -> None:
    """A head step by step: its role, its statistic, its drift."""
    layer, number = head.row
    heads, drift = (
        table[(table["layer"] == layer) & (table["head"] == number)]
        for table in (series.tables["heads"], series.tables["drift"])
    )
    st.header(f"{head} by step", anchor=False)
    table = heads[["step", "role", statistic.name, statistic.chance]].merge(drift[["step", "drift"]])
    first, last = (table["role"].iloc[at] for at in (0, -1))
    settled = series.tables["settled"].set_index(["layer", "head"])["since_step"]
    with st.container(border=True):
        left, right = st.columns(2, gap="large")
        with left:
            st.markdown(
                f"**{head}**: {last}"
                + (" from first to last step." if first == last else f" at the last step, {first} at the first.")
                + f" It has been so since step {settled[layer, number]:,}."
            )
            show.table(table, "series-head", {**series.provenance, "head": str(head)}, height="content")
        with right:
            st.caption("How far the head is from what it becomes at the last step; dashed: chance.")
            show.chart(drift_of_head(drift, head), "series-drift-of-head", f"Drift of {head}, step by step")


def _every_head(heads: pd.DataFrame, statistic: Statistic) -> None:
    st.caption("A panel a layer, a thin line a head; the thick line is their mean, dashed is chance.")
    show.chart(
        heads_by_step(heads, statistic),
        f"series-heads-{statistic.name}",
        f"{statistic.label} of every head, step by step",
    )


def _drift(series: Series) -> None:
    st.caption("Drift: 1 - the rank correlation of its similarity matrices with those of the last step.")
    show.chart(
        drift_by_step(series.tables["drift"]),
        "series-drift",
        "How far every head is from what it becomes at the last step",
    )
    texts = series.manifest["texts"]
    st.caption(
        f"Drift is taken over all pairs of tokens in {texts['probes']} windows of at most {texts['tokens']} tokens; its "
        "chance level is the same against matrices whose tokens stand in a random order."
    )


def _every_table(series: Series) -> None:
    layers = series.tables["layers"]
    of_layers = layers[[c for c in layers if c in ("step", "layer") or c.removeprefix("chance_") in BY_NAME]]
    tables = series.tables | {"layers": of_layers}
    labels = {
        "layers": "Numbers by step and layer", "drift": "The drift of every head, step by step",
        "settled": "Since when every head has its role", "claims": "The rows of the claims, step by step",
        "learned": "Since when a row is learned",
    }  # fmt: skip
    for name, label in labels.items():
        if name in tables:
            st.markdown(f"**{label}**")
            show.table(tables[name], f"series-{name}", series.provenance)


def _sureness(series: Series) -> None:
    st.caption(
        "Entropy of the word that the language-model head would put at a masked place, from each layer's states."
    )
    table = series.tables["entropies"]
    show.chart(sureness_by_step(table), "series-entropies", "How sure of a word each layer is, step by step")
    show.table(table, "series-entropies", series.provenance)
