"""Distances: how far the strong pairs of each layer reach, and whether they stay inside a sentence."""

from functools import partial

import streamlit as st

from attn_core.measures.distances import beside_copy
from attn_core.measures.statistics import BY_LABEL, BY_NAME, NEAR_OVER_FAR, Statistic
from attn_core.models.files import COPIES
from attn_core.ui import derived
from attn_core.ui.shell import page
from attn_core.ui.shell.page import View, head_part
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import segmented

UNTRAINED = COPIES["untrained"]


def show_other_shares(view: View, statistics: tuple[Statistic, ...]) -> None:
    """Draw a statistic by layer for several shares of pairs, and the widget that chooses it."""
    if view.results.reading.model.causal:
        st.caption("Chance is the same over all pairs here, which is no fair one in a causal model.")
    chosen = segmented("Statistic", [statistic.label for statistic in statistics], "sensitivity")
    tables = {"layers_by_share": partial(derived.layers_by_share, view.choice)}
    view.show("shares", BY_LABEL[chosen].name, tables=tables, chosen=view.choice.settings.share)


def show_scores(view: View) -> None:
    """Draw how alike all pairs are by layer and distance, and how often near pairs are more alike than far ones."""
    left, right = st.columns(2, gap="large")
    with left:
        st.caption("All pairs, strong or not: the farther the curves part, the more distance means to a layer's heads.")
        view.show("scores")
        show.csv_button(view.results.similarities, "similarities", st.session_state[show.PROVENANCE])
    with right:
        st.caption(NEAR_OVER_FAR.question)
        view.show("reach")
        show.table(view.results.reach, "reach", height=240)


def say_result(view: View, causal: bool) -> None:
    """Write how far apart the strong pairs of the layer are that is farthest from chance."""
    own = view.results.layers.set_index("layer")
    levels = {} if causal else {"by chance": own["chance_mean_distance"]}
    read = {name: table for name, table in view.copies.layers.items() if len(table)}
    levels |= {name: table.set_index("layer")["mean_distance"] for name, table in read.items()}
    means = own["mean_distance"]
    at = (means / next(iter(levels.values()), means.max()) - 1).abs().idxmax()
    others = ", ".join(f"{name} {level[at]:.0f}" for name, level in levels.items())
    apart = f"The strong pairs of layer {at} are **{means[at]:.0f} {view.results.unit}** apart on average"
    st.markdown(f"{apart}: {others}." if others else f"{apart}.")


view = page.begin()
results, causal = view.results, view.results.reading.model.causal
distance, sentence = BY_NAME["mean_distance"], BY_NAME["same_sentence_share"]
untrained = view.copies.layers.get(UNTRAINED) if causal else None  # chance, where all pairs are none
chance_of = "" if untrained is None else UNTRAINED
bins_of_chance = view.copies.distance_bins.get(chance_of)
bins = {"distance_bins": lambda: beside_copy(results.distance_bins, bins_of_chance)}
is_read = bins_of_chance is not None

say_result(view, causal)
if chance_of:
    st.caption(
        ":material/info: In a causal model all pairs are no fair chance: a token reads nearly what the token before it "
        "reads, so that near tokens are alike in any such model. Chance is therefore its untrained copy."
    )
left, right = st.columns(2, gap="large")
with left:
    st.header("Distance of strong pairs, relative to chance", anchor=False)
    view.show("distances", tables=bins, inputs=is_read)
with right:
    st.header("Mean distance by layer", anchor=False)
    view.show("layers", distance.name, chance_of=chance_of)
left, right = st.columns(2, gap="large")
with left:
    st.header("Inside one sentence, by layer", anchor=False)
    view.show("layers", sentence.name, chance_of=chance_of)
with right, head_part(view):
    row = view.head_a.rows_of(results.statistics).iloc[0]
    word, chances = "chance", row.filter(like="chance_").rename(lambda name: name.removeprefix("chance_"))
    if untrained is not None and len(untrained):
        word, chances = f"{UNTRAINED}, mean of its layer", untrained.set_index("layer").loc[row["layer"]]
    st.markdown(
        f"Its strong pairs are **{row['mean_distance']:.0f} {results.unit}** apart on average ({word} "
        f"{chances['mean_distance']:.0f}), **{row['same_sentence_share']:.1%}** of them lie inside one sentence "
        f"({word} {chances['same_sentence_share']:.1%}; pairs of like distance "
        f"{row['like_distance_same_sentence_share']:.1%})."
    )
    view.show("distances-of-head", head=view.head_a, tables=bins, inputs=is_read)

other_shares = partial(show_other_shares, view, (distance, sentence))
show.folded("How alike are all pairs, near and far? Without a threshold", "scores", partial(show_scores, view))
show.folded("The same curves for other shares of pairs", "sensitivity", other_shares)
named = (distance.name, sentence.name, "near_share")
wanted = [f"{kind}{name}" for name in named for kind in ("", "chance_")]
wanted.insert(4, "like_distance_same_sentence_share")
show.table(results.layers[["layer", *wanted]], "layers", fold="Every layer")
show.table(results.distances, "distances", fold="Strong pairs of every head by distance")
show.help("Distances")
