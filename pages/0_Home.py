"""Home: a box for another text, the map of all heads with those worth a look, and the text as head A sees it."""

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from attn_core.charts.role_words import described_share, named_role
from attn_core.measures.roles import TOKENS, notable_heads
from attn_core.measures.statistics import BY_LABEL, STATISTICS, Statistic
from attn_core.models.files import COPIES
from attn_core.texts.documents import samples
from attn_core.texts.passages import Passage
from attn_core.ui.components.shaded_text import shaded_text, shades
from attn_core.ui.shell import page, text_source
from attn_core.ui.shell.page import View, head_part
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import one_of
from attn_core.ui.widgets.escape import plain

ROLE = "Role"
TALL = 560  # pixels of the text, which scrolls: its read-out stays in sight


def choose_another() -> None:
    """Draw the box that a text is pasted into, and the menu of samples."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_area(
            "Your own text (kept on this machine until you delete it)",
            key="pasted",
            on_change=_keep_pasted,
            height=68,
            placeholder="Paste a text and press Ctrl+Enter",
        )
        titles = [one.title for one in samples()]
        st.menu_button("Or a sample", titles, key="sample", on_click=_read_sample)


def _keep_pasted() -> None:
    text, st.session_state["pasted"] = st.session_state["pasted"], ""
    if text.strip():
        text_source.keep(text)


def _read_sample() -> None:
    st.session_state.pop("language", None)  # what was set by hand belongs to the text before
    st.session_state["text"] = st.session_state["sample"]


def map_of_heads(view: View) -> None:
    """Draw the map of heads, coloured by role or by a statistic; a click makes a head head A."""
    label = one_of("Colour the heads by", [ROLE, *BY_LABEL], "by")
    question = "What each head pairs more often than by chance." if label == ROLE else BY_LABEL[label].question
    st.caption(f"{question} Click a head to select it.")
    if label == ROLE:
        view.show("roles", tables={"heads": lambda: view.heads_with_stable}, inputs=view.roles is None)
    else:
        show_statistic(view, BY_LABEL[label])
    view.say_fair_chance()


def show_statistic(view: View, statistic: Statistic) -> None:
    """Draw the map of a statistic minus chance, in a causal model minus the untrained copy once it is read."""
    causal, untrained = view.results.reading.model.causal, COPIES["untrained"]
    if not (causal and statistic.of_pairs) or (copy := view.copies.heads.get(untrained, pd.DataFrame())).empty:
        view.show("heads", statistic.name)
        return
    heads, mean = view.results.statistics, copy.groupby("layer")[statistic.name].mean()
    tables = {"heads": lambda: heads.assign(**{statistic.chance: heads["layer"].map(mean)})}
    view.show("heads", statistic.name, tables=tables, inputs=untrained, chance=untrained)


def worth_a_look(view: View) -> None:
    """Draw buttons for heads with a stable role that no copy comes near, which describe them; a click makes one A."""
    if view.few:
        return
    with st.container(key="notable", gap="xxsmall"):  # whose place is kept until all is read
        if view.roles is None or not view.copies.are_read:
            st.caption("Heads worth a look have a stable role that no copy of the model comes near.")
            return
        heads, copies = view.heads_with_stable, view.copies.heads
        notable = view.kept(("notable", *copies), lambda: notable_heads(heads, heads["stable"], copies))
        st.markdown("**Worth a look**" if notable else "**No head stands out.**")
        for one in notable:
            name, role = str(one.head), named_role(one.role, one.head.rows_of(heads).iloc[0])
            st.button(
                f"**{name}, {plain(role)}**: {plain(described_share(one))}", key=f"notable-{name}", width="stretch",
                on_click=st.session_state.update, args=({"a": name},),
            )  # fmt: skip


def text_of_head(view: View) -> None:
    """Draw the text shaded by similarity in head A, at first to a token of its strongest pair."""
    passage, head = view.window.passage, view.head_a
    st.caption(
        f"The text as {head} sees it: point at a token to shade the others by their similarity to it; a click keeps it."
    )
    view.choose_window()
    with st.container(height=TALL, border=False):
        tokens, gaps = view.kept(("tokens", passage.index), partial(_tokens, passage))
        similarity = view.similarity(head)
        pinned = shaded_text(
            tokens,
            gaps,
            similarity,
            special=passage.is_special.tolist(),
            start=int(view.window.pairs.first[head][0]),
            key=f"text-{view.identity}",
        )
    anchors, diverging = shades(similarity)
    places = np.arange(len(tokens))
    columns = {"position": places, "token": tokens, "value": similarity[pinned], "picked": places == pinned}
    view.save(
        "text", partial(pd.DataFrame, columns), words={"head": head},
        label=f"similarity to {tokens[pinned]}", shades=[f"#{one}" for one in anchors["light"].split()],
        diverging=diverging,
    )  # fmt: skip


def _tokens(passage: Passage) -> tuple[tuple[str, ...], list[str]]:
    """The tokens, and the text before each; a blank around special tokens, which the text does not have."""
    result, end = list[str](), None
    for position in range(len(passage)):
        if passage.is_special[position]:
            result.append(" ")
            continue
        start = int(passage.starts[position])
        result.append(" " if end is None else passage.document.text[end:start])
        end = int(passage.ends[position])
    return tuple(passage.surface(i) for i in range(len(passage))), result


view = page.begin()
choose_another()
heads, text = st.columns(2, gap="large")
with heads:
    map_of_heads(view)
    worth_a_look(view)
with text, head_part(view):
    text_of_head(view)

shown = ["layer", "head", "role", *TOKENS, *(column for s in STATISTICS for column in (s.name, f"chance_{s.name}"))]
show.table(view.results.statistics[shown], "heads", fold="Numbers of every head")
show.help("Home")
