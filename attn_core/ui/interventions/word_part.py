"""Change a word: the text and an edited copy side by side, and which heads see the difference, beside other words there."""

from collections.abc import Callable
from functools import cache, partial

import pandas as pd
import streamlit as st

from attn_core.head import Head
from attn_core.interventions.word_change import Edit, beside_chance, other_words, read_edited, read_words, word_changes
from attn_core.models.records import LoadedModel
from attn_core.similarity.strong_pairs import Settings
from attn_core.similarity.words import in_words
from attn_core.texts.documents import Document
from attn_core.texts.passages import Passage
from attn_core.ui.caches import models_held, readings
from attn_core.ui.caches.removals import passage_of
from attn_core.ui.choice import TextKey
from attn_core.ui.runs import in_thread
from attn_core.ui.shell.view import TextView
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import one_of
from attn_core.ui.widgets.escape import marked, plain

AROUND = 220  # characters on either side of the word
SPLIT = ": "


def show_word_change(view: TextView, key: TextKey) -> None:
    """Choose a word, type another, and see which heads change beyond what other words do."""
    if key.layout == "shuffled":
        st.caption(
            ":material/info: The words of a shuffled text have no neighbours to keep: take the text in its own order."
        )
        return
    of_words, _ = in_words(passage_of(key))
    edit = _choose(of_words)
    if edit is None:
        return
    _side_by_side(of_words.document.text, edit)
    settings = Settings(view.choice.settings.measure, view.choice.settings.share, unit="words")
    others = other_words(of_words, edit)
    in_thread.on_request(
        "word",
        (key, edit, settings),
        partial(_steps, key, edit, settings, others),
        partial(_draw, view, edit, others),
        "See which heads change",
        "compare_arrows",
        f"The edited copy is read, and {len(others)} copies with other words of the text in the same place.",
    )


def sentence(table: pd.DataFrame, others: int) -> str:
    """What the numbers say of all heads, with what chance would give."""
    beyond, heads = int((table["others_below"] == others).sum()), len(table)
    expected = heads / (others + 1)
    best = table.iloc[0]
    return (
        f"**{Head.of_row(best['layer'], best['head'])}** changes most beyond chance: its matrix by {best['matrix_change']:.3f} "
        f"(1 − rank correlation), where other words change it by {best['chance_matrix_change']:.3f} on average. **{beyond} of "
        f"{heads} heads** change more than under each of {others} other words of the text; where the new word is as good as "
        f"they are, {expected:.1f} are expected, and heads agree, so that none or many is no surprise. "
        f"{int(table['anchor_changed'].sum())} anchors are another word."
    )


def _choose(passage: Passage) -> Edit | None:
    text = passage.document.text
    spans = list(zip(passage.starts.tolist(), passage.ends.tolist(), strict=True))
    places = {
        f"{at}{SPLIT}{text[a:b]}": (a, b) for at, (a, b) in enumerate(spans, 1) if any(map(str.isalnum, text[a:b]))
    }
    if not places:
        st.caption(":material/info: This window has no word to change.")
        return None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = one_of("Word (type to find it)", list(places), "word_at", width=240)
        typed = st.text_input("becomes", key="word_to", bind="query-params", width=240, max_chars=60)
    edit = Edit(*places[chosen], typed)
    if not typed.strip():
        st.caption("Type the word that is to stand in its place.")
        return None
    if edit.of(text) == text:
        st.caption(":material/info: That is the word that stands there: nothing would change.")
        return None
    return edit


def _side_by_side(text: str, edit: Edit) -> None:
    """The word in its surroundings, before and after."""
    before = "…" * (edit.start > AROUND) + text[max(0, edit.start - AROUND) : edit.start]
    after = text[edit.end : edit.end + AROUND] + "…" * (edit.end + AROUND < len(text))
    for side, title, word in zip(
        st.columns(2, gap="large"),
        ("The text", "The edited copy"),
        (text[edit.start : edit.end], edit.word),
        strict=True,
    ):
        with side.container(border=True):
            st.caption(title)
            st.markdown(marked([(before, False), (word.strip(), True), (after, False)]))


def _steps(key: TextKey, edit: Edit, settings: Settings, others: list[str]) -> list[Callable[[], pd.DataFrame]]:
    """The edited copy first, then those with other words; the text itself is read once for all of them."""
    before = cache(lambda: read_words(*_of(key), key.layout, key.number, settings))

    def changes(word: str) -> pd.DataFrame:
        copy = Edit(edit.start, edit.end, word)
        model, document = _of(key)
        after = read_edited(model, document, copy, key.layout, key.number, settings)
        return word_changes(before(), after, copy, settings)

    return [partial(changes, word) for word in (edit.word, *others)]


def _of(key: TextKey) -> tuple[LoadedModel, Document]:
    return models_held.model(key.spec), readings.document(key.text, key.language)


def _draw(view: TextView, edit: Edit, others: list[str], work: in_thread.Work) -> None:
    in_thread.progress(work, "Copies of the text", "word")
    if not work.complete:
        return
    edited, *by_chance = work.parts
    if not by_chance:
        st.caption(":material/info: The text has no other words, so that there is no chance level.")
        return
    table = beside_chance(edited, by_chance)
    st.markdown(sentence(table, len(by_chance)))
    number = st.column_config.NumberColumn
    show.table(
        table,
        "word-change",
        view.provenance(changed_at=edit.start, word=edit.word.strip(), other_words=" ".join(others)),
        columns={
            "matrix_change": number("matrix", format="%.3f"),
            "chance_matrix_change": number("chance", format="%.3f"),
            "excess": number("beyond chance", format="%+.3f"),
            "others_below": number(f"of {len(by_chance)} words, change less"),
            "pair_change": show.share_column("strong pairs gone"),
            "chance_pair_change": show.share_column("chance"),
        },
        column_order=[
            "layer", "head", "matrix_change", "chance_matrix_change", "excess", "others_below", "pair_change",
            "chance_pair_change", "anchor_before", "anchor_after",
        ],
        height=300,
    )  # fmt: skip
    st.caption(f"Chance: {plain(', '.join(others))} in the same place.")
