"""Why two tokens of the shown window are alike in a head: what both of them read."""

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from attn_core.charts.anchors import named_sources, source_overview
from attn_core.charts.sources import described_source, parts_of, sentence_of
from attn_core.errors import InputError
from attn_core.head import Head
from attn_core.measures.anchors import content_tokens, token_labels
from attn_core.measures.few_pairs import MIN_EXCESS
from attn_core.measures.sources import Explanation, largest_excess, made_alike
from attn_core.texts.passages import Passage
from attn_core.texts.token_names import quoted
from attn_core.ui.components.shaded_text import shaded_text
from attn_core.ui.shell.page import View
from attn_core.ui.widgets import show
from attn_core.ui.widgets.escape import plain

Pair = tuple[int, int]
TALL = 300  # pixels of a text, which scrolls


def reason(view: View, head: Head, pair: Pair) -> Explanation | str:
    """Why the two tokens are alike, or a sentence that says why that is not known."""

    def explain() -> Explanation | str:
        try:
            with st.spinner("Reading the text again, for what both tokens read"):
                return view.results.explain(head, *pair, window=view.window.passage.index + 1)
        except InputError as error:
            return str(error)

    return view.kept(("why", head, pair, view.window.passage.index), explain)


def named(view: View, position: int) -> str:
    """A token of the shown window in words, with its position where its letters stand there more than once."""
    passage = view.window.passage
    words = view.kept(("whole", passage.index), lambda: [passage.whole(at) for at in range(len(passage))])
    return quoted(words[position]) + (f" ({position})" if words.count(words[position]) > 1 else "")


def in_words(view: View, why: Explanation) -> str:
    """The sentence of an explanation, for Markdown."""
    passage = view.window.passage
    at = zip(why.tokens["position"], why.tokens["token"], strict=True)
    names = [passage.whole(position) if position >= 0 else token for position, token in at]
    return plain(sentence_of(why, named(view, why.first), named(view, why.second), names))


def contributions(view: View, why: Explanation) -> np.ndarray:
    """What each token of the shown window contributes, (N,)."""
    values, of_window = np.zeros(len(view.window.passage)), why.tokens[why.tokens["position"] >= 0]
    values[of_window["position"]] = of_window["contribution"]
    return values


def draw_reason(view: View, head: Head, letter: str, pair: Pair) -> None:
    """Draw why two tokens are alike in a head: the parts of their similarity, a sentence, and the text shaded."""
    why = reason(view, head, pair)
    if isinstance(why, str):
        st.caption(plain(why))
        return
    words, inputs = {"letter": letter, "head": head}, (pair, view.identity)
    view.show("why", tables={"why": partial(parts_of, why)}, words=words, inputs=inputs)
    st.markdown(in_words(view, why))
    tokens, gaps = text_of(view)
    with st.container(height=TALL, border=False):
        shaded_text(
            tokens, gaps, contributions(view, why), special=view.window.passage.is_special.tolist(), start=pair[0],
            key=f"why-{letter}-{view.identity}", ends=pair, pins=False,
        )  # fmt: skip
    of_pair = {"head": str(head), "window": view.window.passage.index + 1, "first": pair[0], "second": pair[1]}
    show.csv_button(why.tokens, f"why-{letter}", {**st.session_state[show.PROVENANCE], **of_pair}, type="tertiary")


def sources_of(view: View, table: pd.DataFrame) -> pd.DataFrame:
    """The table of `source_overview`, with the columns content, said and stands_out.

    table: from `source_table`. content: whether the source is a word of content. said: what is said of the head; empty
    without sources, and for a causal model without copies, since under even attention its first tokens are everybody's
    source. stands_out: whether the excess is that much larger than any of a copy.
    """
    results, of_copies = view.results, view.copies_with_sources.sources
    can_say = bool(of_copies) or not results.reading.model.causal

    def made() -> pd.DataFrame:
        copies = {name: largest_excess(one) for name, one in of_copies.items()}
        labels, content = token_labels(results.windows), content_tokens(results.windows)
        overview, said = source_overview(named_sources(table, labels), results.statistics), list[str]()
        overview["content"] = overview["token_id"].isin(content)
        overview["stands_out"] = overview["excess"] - max(copies.values(), default=0.0) >= MIN_EXCESS
        for row in overview.to_dict("records"):
            alike = made_alike(results.coverage, Head.of_row(row["layer"], row["head"]), row["token_id"], content)
            known = can_say and row["source_word"]
            said.append(described_source(row, [labels[one] for one in alike], copies) if known else "")
        return overview.assign(said=said)

    return view.kept(("sources", *of_copies), made)


def text_of(view: View) -> tuple[tuple[str, ...], list[str]]:
    """The tokens of the shown window, and the text before each."""
    return view.kept(("tokens", view.window.passage.index), partial(_tokens, view.window.passage))


def _tokens(passage: Passage) -> tuple[tuple[str, ...], list[str]]:
    """The tokens, and the text before each; a blank around special tokens, which the text does not have."""
    result, end = list[str](), None
    for position in range(len(passage)):
        if passage.is_special[position]:
            result.append(" ")
            continue
        start = int(passage.starts[position])
        result.append(" " if end is None else passage.document.shown[end:start])
        end = int(passage.ends[position])
    return tuple(passage.surface(i) for i in range(len(passage))), result
