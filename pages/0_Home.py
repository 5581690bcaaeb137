"""Home: a box for another text, the map of all heads with those worth a look, and the text as head A sees it."""

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from attn_core.charts.role_words import described_share, named_role
from attn_core.head import Head
from attn_core.measures.roles import MOST, TOKENS, notable_heads
from attn_core.measures.sources import Explanation
from attn_core.measures.statistics import BY_LABEL, STATISTICS, Statistic
from attn_core.models.files import COPIES
from attn_core.texts.documents import samples
from attn_core.texts.token_names import readable
from attn_core.ui import reasons
from attn_core.ui.components.shaded_text import pinned_before, shaded_text, shades
from attn_core.ui.shell import page, text_source
from attn_core.ui.shell.completion import SOURCES
from attn_core.ui.shell.page import View, head_part
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import one_of, segmented
from attn_core.ui.widgets.escape import plain

ROLE = "Role"
ALIKE, WHY = "alike", "why"  # what shades the text
OFFERED = 6  # tokens that a token is compared with
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
        view.show_roles()
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
    """Draw buttons for heads that no copy comes near, which describe them; a click makes one head A."""
    if view.few:
        return
    with st.container(key="notable", gap="xxsmall"):  # whose place is kept until all is read
        sources, copies = view.completion.ask(SOURCES), view.copies_with_sources
        if view.roles is None or sources is None or not copies.are_read:
            st.caption("Heads worth a look have a stable role, or a source, that no copy of the model comes near.")
            return
        described = view.kept(("notable", *copies.heads), partial(notable, view, sources.table))
        st.markdown("**Worth a look**" if described else "**No head stands out.**")
        for head, label in described.items():
            name = str(head)
            st.button(
                label, key=f"notable-{name}", width="stretch", on_click=st.session_state.update, args=({"a": name},)
            )
        if sources.problem:
            st.caption(plain(sources.problem))


def notable(view: View, sources: pd.DataFrame) -> dict[Head, str]:
    """What is said of each head worth a look: those of a role, and the one that reads a word of content most."""
    heads, of_sources = view.heads_with_stable, reasons.sources_of(view, sources)
    out = of_sources[of_sources["stands_out"] & (of_sources["said"] != "")]
    reads = {Head.of_row(row["layer"], row["head"]): row["said"] for row in out.to_dict("records")}
    most = out[out["content"]].nlargest(1, "excess")
    by_role = notable_heads(heads, heads["stable"], view.copies.heads)
    by_source = {Head.of_row(*row) for row in most[["layer", "head"]].itertuples(index=False)}
    by_source -= {one.head for one in by_role}
    said = dict[Head, str]()
    for one in by_role[: MOST - len(by_source)]:
        role = named_role(one.role, one.head.rows_of(heads).iloc[0])
        sentences = filter(None, (described_share(one), reads.get(one.head)))
        said[one.head] = f"**{one.head}, {plain(role)}**: {plain('. '.join(sentences))}"
    return said | {head: f"**{head}**: {plain(reads[head])}" for head in by_source}


def text_of_head(view: View) -> None:
    """Draw the text shaded by similarity in head A to a token, at first of its strongest pair, or by what it reads."""
    passage, head = view.window.passage, view.head_a
    shades_by = segmented("Shades", (ALIKE, WHY), "shades", label_visibility="collapsed", width="content")
    view.choose_window()
    tokens, gaps = reasons.text_of(view)
    values, start, key = view.similarity(head), int(view.window.pairs.first[head][0]), f"text-{view.identity}"
    ends, pinned = None, pinned_before(len(tokens), start, key)
    if shades_by == ALIKE:
        st.caption(
            f"The text as {head} sees it: point at a token to shade the others by their similarity to it; a click "
            "keeps it."
        )
    else:
        why = reasons.reason(view, head, (pinned, compared_with(view, values, pinned)))
        st.markdown(plain(why) if isinstance(why, str) else reasons.in_words(view, why))
        if isinstance(why, Explanation):
            values, ends = reasons.contributions(view, why), (why.first, why.second)
    with st.container(height=TALL, border=False):
        special = passage.is_special.tolist()
        pinned = shaded_text(tokens, gaps, values, special=special, start=start, key=key, ends=ends)
    anchors, diverging = shades(values)
    if ends:
        label = f"contribution to the similarity of {tokens[ends[0]]} and {tokens[ends[1]]}"
    else:
        values, label = values[pinned], f"similarity to {tokens[pinned]}"
    places = np.arange(len(tokens))
    columns = {"position": places, "token": tokens, "value": values, "picked": places == pinned}
    view.save(
        "text", partial(pd.DataFrame, columns), words={"head": head}, label=label,
        shades=[f"#{one}" for one in anchors["light"].split()], diverging=diverging,
    )  # fmt: skip


def compared_with(view: View, similarity: np.ndarray, pinned: int) -> int:
    """Draw the tokens most like the pinned one, a place of each. Returns the chosen one, at first the most similar."""
    passage, able = view.window.passage, view.window.pairs.eligible & (np.arange(len(similarity)) != pinned)
    places = dict[str, int]()
    for at in np.argsort(-similarity[pinned], kind="stable").tolist():
        if able[at] and len(places) < OFFERED:
            places.setdefault(readable(passage.whole(at)), at)
    names = list(places)
    asked = st.pills(
        f"Why is {plain(reasons.named(view, pinned))} like", names, default=names[0],
        key=f"with-{pinned}-{list(places.values())}-{view.identity}", help="Click a token of the text to ask about it.",
    )  # fmt: skip
    return places[asked or names[0]]


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
