"""What the Compare page shows of its subjects: verdicts, curves, maps, the match of heads, what cutting words does."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from attn_core.analysis.one_text import Analysis
from attn_core.charts.comparison import best_match_map, depth_curves, difference_curve, value_map
from attn_core.comparison.causes import RULE
from attn_core.comparison.match import HeadMatch, common_words, word_ranks
from attn_core.comparison.subjects import (
    Subject,
    curves,
    head_differences,
    layer_differences,
)
from attn_core.comparison.tables import Comparison
from attn_core.errors import InputError
from attn_core.head import every_head
from attn_core.measures.statistics import BY_LABEL, Statistic
from attn_core.report.document import Report, Section
from attn_core.report.of_comparison import of_comparison
from attn_core.similarity.words import find_words
from attn_core.study.in_words import percents
from attn_core.ui.caches import of_choice, readings
from attn_core.ui.compare.subjects import Compared
from attn_core.ui.findings.cause import show_cause
from attn_core.ui.shell.frame import TextView, View
from attn_core.ui.shell.report_button import report_button
from attn_core.ui.widgets import show
from attn_core.ui.widgets.address import keep_among
from attn_core.ui.widgets.downloads import caption
from attn_core.ui.widgets.escape import plain
from attn_core.ui.widgets.fact import beside_chance, facts
from attn_core.ui.widgets.in_words import OF_STUDY, OF_TEXT
from attn_core.ui.widgets.matrix_canvas import Axis, Panel, matrix_canvas
from attn_core.ui.widgets.pick import head_chart

AS_SIGN = {
    "as in the paper": "● as in the paper",
    "unlike the paper": "○ unlike the paper",
    "no clear sign": "– no clear sign",
    "not asked": "not asked",
}


def provenance(view: View, compared: Sequence[Compared], **choices: object) -> dict[str, object]:
    """Where a table of several subjects comes from: all of them, whole."""
    return view.provenance(subjects={one.name: dict(one.subject.results.provenance) for one in compared}, **choices)


def _of(compared: Sequence[Compared]) -> Mapping[str, str | None]:
    """What a figure of several subjects shows: their names in place of what stands above the page, but for what they share."""
    names = "; ".join(f"{chr(ord('A') + at)}: {one.name}" for at, one in enumerate(compared))
    choices = [one.choice for one in compared]
    told: dict[str, str | None] = {"subjects": names} | dict.fromkeys((*OF_TEXT, *OF_STUDY))
    if any(choice.study for choice in choices):
        return told
    if len({choice.title for choice in choices}) == 1:
        del told["text"]
    else:
        told["text"] = f"text of A: {choices[0].title}"
    if len({choice.settings for choice in choices}) == 1:
        del told["measure"], told["pairs"]
    return told


def show_causes(view: View, compared: Sequence[Compared]) -> None:
    """The answer: a line a claim, with the numbers that decide."""
    own, others, few, table = of_choice.causes([one.choice for one in compared], [one.name for one in compared])
    with st.container(gap="xxsmall", key="answer"):
        for cause in [one for one in own if one.subject == compared[0].name]:
            show_cause(cause.claim, cause.topic, cause.verdict, cause.sentence)
        for held in others:
            beside = f"Beside {held.others[0]}: " if own or len({one.others for one in others}) > 1 else ""
            show_cause(held.claim, held.topic, held.verdict, beside + held.sentence)
    alone = "One text has no interval, so that nothing is settled." if table["low"].isna().all() else ""
    with st.container(horizontal=True, vertical_alignment="center"):
        if few or alone:
            st.caption(f":material/info: {' '.join(filter(None, (alone, few)))}", width="content")
        with st.popover("The rule, and the numbers put in", icon=":material/rule:", type="tertiary", width="content"):
            st.markdown(RULE)
            show.table(table, "causes", provenance(view, compared))
        _offer_report(compared)


def _offer_report(compared: Sequence[Compared]) -> None:
    """The comparison as a report; the subjects' heads are matched when it is asked for."""

    def make(_quote: bool, chapters: Sequence[Section]) -> Report:
        whole = Comparison([one.subject for one in compared])
        return of_comparison(whole.tables(), whole.provenance, chapters)

    report_button("comparison", "comparison", make)


def show_verdicts(view: View, compared: Sequence[Compared]) -> None:
    """The findings of all subjects side by side."""
    table = of_choice.findings_table([one.choice for one in compared], [one.name for one in compared])
    wide = table.assign(verdict=table["verdict"].map(AS_SIGN)).pivot(
        index=["claim", "topic"], columns="subject", values="verdict"
    )[[one.name for one in compared]]  # fmt: skip
    show.table(wide.reset_index(), "verdicts", provenance(view, compared))
    _sentences(table, compared[:2])


def _sentences(table: pd.DataFrame, two: Sequence[Compared]) -> None:
    for claim, group in table[table["subject"].isin([one.name for one in two])].groupby("claim"):
        for side, row in zip(st.columns(2, gap="large"), group.itertuples(), strict=True):
            side.markdown(f":gray[{claim}] **{row.topic}**: {row.verdict}. {plain(row.sentence)}")


def show_layers(compared: Sequence[Compared]) -> Statistic:
    """Curves of all subjects over relative depth, and A minus B with its interval where both are studies.

    Returns the statistic that was chosen, which is that of the maps too.
    """
    table = of_choice.curves([one.choice for one in compared], [one.name for one in compared])
    a, b = compared[:2]
    left, right = st.columns(2, gap="large")
    with left:
        # The label would push the figure off the first screen, below an answer of nine lines.
        statistic = BY_LABEL[
            st.selectbox("Statistic", list(BY_LABEL), key="compared", bind="query-params", label_visibility="collapsed")
        ]
        counted = statistic.over(" or ".join(dict.fromkeys(one.subject.results.unit for one in compared)))
        show.chart(
            depth_curves(table[table["statistic"] == statistic.name], counted),
            "depth-curves",
            f"{statistic.label} by depth",
            across=0.5,
            shows=_of(compared),
        )
        st.caption(f"{statistic.question} Dashed: chance.")
    with right:
        differences, told = _differences(a, b)
        st.caption(f"A minus B. {told}")
        shown = differences[differences["statistic"] == statistic.name]
        if len(shown):
            show.chart(
                difference_curve(shown, statistic, (a.name, b.name)),
                "difference-curve",
                f"{statistic.label} by depth, A minus B",
                across=0.5,
                shows=_of(compared[:2]),
            )
    return statistic


def show_numbers(view: View, compared: Sequence[Compared]) -> None:
    """Every statistic of every subject by layer, and the differences of the first two."""
    table = of_choice.curves([one.choice for one in compared], [one.name for one in compared])
    show.table(table, "curves", provenance(view, compared))
    show.table(_differences(*compared[:2])[0], "differences", provenance(view, compared[:2]))


def _differences(a: Compared, b: Compared) -> tuple[pd.DataFrame, str]:
    """A minus B by depth, and what its intervals rest on."""
    first, second = a.subject.results, b.subject.results
    if a.choice.study and b.choice.study:
        differences = of_choice.paired(a.choice.study, b.choice.study)
        kind = (
            f"Bars: 95 % intervals, paired over the {differences.texts[0]} texts that both counted."
            if differences.paired
            else "Bars: 95 % intervals; these studies are of different texts and not paired, so that they are wider."
        )
        return differences.layers, kind
    return layer_differences(first, second), "One text has no interval: a study of many texts has."


def show_maps(compared: Sequence[Compared], statistic: Statistic) -> None:
    """Every head of A and of B minus chance, and their difference where the shapes agree."""
    a, b = (one.subject.results for one in compared[:2])
    excess = [
        results.statistics[["layer", "head"]].assign(
            minus_chance=results.statistics[statistic.name] - results.statistics[statistic.chance]
        )
        for results in (a, b)
    ]
    ends = [table["minus_chance"].abs().max() for table in excess]
    limit = float(np.nanmax(ends)) or 1.0
    alike = a.shape == b.shape
    sides = st.columns(2, gap="medium")
    for side, letter, table, one in zip(sides, "AB", excess, compared, strict=False):
        with side:
            st.markdown(f"**{letter}**: {plain(one.name)}, minus chance")
            title = f"{statistic.label} of every head of {letter}, minus chance"
            figure = value_map(table, "minus_chance", statistic, limit)
            show.chart(figure, f"map-{letter.lower()}", title, across=0.33, shows=_of(compared[:2]))
    if not alike:
        st.caption(
            "The models differ in layers or heads, so that no head of A has its own place in B: see the match below."
        )
        return
    with sides[0]:
        st.markdown("**A - B**, head by head")
        difference = head_differences(a, b, statistic)
        limit = float(difference["difference"].abs().max()) or 1.0
        figure = value_map(difference, "difference", statistic, limit)
        title = f"{statistic.label} of every head, A minus B"
        show.chart(figure, "map-difference", title, across=0.33, shows=_of(compared[:2]))


def find_match(compared: Sequence[Compared]) -> HeadMatch | str:
    """Which head of B is most like each head of A, or why that cannot be told."""
    a, b = compared[:2]
    if not (isinstance(a.subject.results, Analysis) and isinstance(b.subject.results, Analysis)):
        return "Studies keep sums, not matrices: heads are matched where both subjects are read on a text."
    try:
        return of_choice.head_match(a.choice, b.choice)
    except InputError as error:
        return plain(error)


def show_match(view: View, compared: Sequence[Compared], match: HeadMatch) -> None:
    """Which head of B is most like each head of A."""
    a, b = compared[:2]
    _match_facts(match)
    table = match.table()
    show.folded("The head of B most like each head of A", "match-map", partial(_match_map, (a, b), table))
    told = provenance(view, (a, b), words=match.words, permutations=len(match.by_chance))
    show.folded("Every head of A with every head of B", "head-match", partial(_match_matrix, a, b, match))
    show.folded_table("The numbers of the match", table, "best-matches", told)


def _match_map(compared: Sequence[Compared], table: pd.DataFrame) -> None:
    st.caption("In each cell of A the head of B most like it; pale where no better than chance. **Click: head A.**")
    title = "The head of B most like each head of A"
    head_chart(best_match_map(table), "best-matches", title, table, shows=_of(compared))


def _match_facts(match: HeadMatch) -> None:
    mutual, mutual_by_chance = match.mutual
    alone, alone_by_chance = match.one_to_one
    with facts():
        beside_chance(
            "Best match of a head of A, mean",
            f"{match.value.mean():.2f}",
            f"chance: {match.chance:.2f}",
            f"Rank correlation of two heads' similarity matrices over the same {match.words} words. Chance: the words of B "
            "permuted.",
        )
        beside_chance(
            "Heads of A with a match above chance",
            f"{match.sure.sum()} of {len(match.sure)}",
            "chance: none in 95 of 100",
            f"Above {match.bar:.2f}: of {len(match.by_chance)} permutations of the words, in at most 5 % any head at all reaches "
            "that. So the bar is corrected over all heads.",
        )
        beside_chance(
            "Each other's best match",
            f"{mutual:.0%}",
            f"chance: {mutual_by_chance:.0%}",
            "Heads of A whose best match in B has them as its own best match in A.",
        )
        beside_chance(
            "One to one",
            f"{alone:.0%}",
            f"chance: {alone_by_chance:.0%}",
            "What is left of the mean best match where no head of B may be taken twice (Hungarian method).",
        )


def _match_matrix(a: Compared, b: Compared, match: HeadMatch) -> None:
    """The whole match; a cell that is picked makes its row head A, and its column the head of B below."""
    rows, columns = (
        Axis([str(head) for head in every_head(*shape)], f"heads of {letter}", shape[1])
        for shape, letter in zip(match.shapes, "AB", strict=True)
    )

    def choose(row: int, column: int) -> None:
        st.session_state["a"], st.session_state["b_head"] = rows.names[row], columns.names[column]

    st.caption("Heads of A in rows, of B in columns. **Click: both heads.**")
    limit = max(float(np.abs(match.correlation).max()), 0.1)
    matrix = Panel("Rank correlation of heads", match.correlation, "diverging", cut=(-limit, limit))
    key = f"head-match-{a.name}-{b.name}"
    matrix_canvas(
        [matrix],
        rows,
        columns,
        key=key,
        caption=caption("Rank correlation of the heads of A and B", _of((a, b))),
        on_pick=choose,
    )


def show_partner(view: View, compared: Sequence[Compared], match: HeadMatch) -> None:
    """Head A of the sidebar and a head of B, over the same words at one scale."""
    a, b = compared[:2]
    both = [readings.reading_in_words(one.choice.key) for one in (a, b)]
    common = common_words(*both)[0]
    own, theirs = (every_head(*shape) for shape in match.shapes)
    best = str(theirs[match.best[own.index(view.head_a)]])
    names = [f"most like it: {best}", *map(str, theirs)]
    keep_among("b_head", names, names[0])
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.markdown(f"**{view.head_a} of A** beside", width="content")
        chosen = st.selectbox("a head of B", names, key="b_head", bind="query-params", width=230)
    other = theirs[match.best[own.index(view.head_a)]] if chosen == names[0] else theirs[names.index(chosen) - 1]
    correlation = match.correlation[own.index(view.head_a), theirs.index(other)]
    st.caption(
        f"Rank correlation {correlation:.2f} (chance of a best match {match.chance:.2f}). Each pair of words by its rank among "
        f"the head's pairs, so that both stand at one scale; {len(common.first)} words that both read in one window."
    )
    parts = zip(
        both, (common.window, common.other_window), (common.first, common.second), (view.head_a, other), (a, b), strict=True
    )  # fmt: skip
    panels = [
        Panel(
            f"{head} of {letter}: rank of the similarity",
            word_ranks(reading, window, words, head, one.choice.settings.measure),
            cut=(0.0, 1.0),
        )
        for letter, (reading, window, words, head, one) in zip("AB", parts, strict=True)
    ]
    passage = both[0].passages[common.window]
    tokens = [passage.surface(int(at)) for at in common.first]
    matrix_canvas(
        panels,
        Axis(tokens),
        key=f"compared-{a.name}-{b.name}",
        caption=caption(f"Similarity by rank in {view.head_a} of A and {other} of B", _of((a, b))),
    )


def show_words(view: TextView, statistic: Statistic) -> None:
    """What cutting words does: the same model and text over tokens and over words."""
    st.caption("The same model and text over the model's tokens and over the text's words.")
    choice = view.choice
    units = [replace(choice, settings=replace(choice.settings, unit=unit)) for unit in ("tokens", "words")]
    tokens, words = (of_choice.results(one) for one in units)
    assert isinstance(tokens, Analysis)
    assert isinstance(words, Analysis)
    cut, number, unspaced = _cutting(tokens)
    with facts():
        beside_chance("Words", f"{number:,}", f"in {sum(map(len, tokens.reading.passages)):,} tokens")
        beside_chance("Words cut in several tokens", f"{cut:.0%}", None)
    if unspaced:
        st.caption(
            f":material/info: {unspaced:.0%} of the words stand in a script that writes no blanks: there the tokenizer's own "
            "pre-tokenizer tells what a word is, or its tokens do where it cuts nothing."
        )
    left, right = st.columns([2, 3], gap="large")
    both = [Subject("tokens", tokens), Subject("words", words)]
    table, counted = curves(both), statistic.over("tokens or words")
    with left:
        show.chart(
            depth_curves(table[table["statistic"] == statistic.name], counted),
            "unit-curves",
            f"{statistic.label} by depth, over tokens and over words",
            across=0.4,
            shows={"pairs": f"strongest {percents([choice.settings.share])} of pairs of tokens, of words"},
        )
    with right:
        show.table(_units(both), "units", view.provenance(units="tokens, words"), height=300)


def _cutting(tokens: Analysis) -> tuple[float, int, float]:
    """Share of words in several tokens, number of words, share of words that the tokenizer told."""
    by_window = [find_words(passage) for passage in tokens.reading.passages]
    sizes = np.concatenate([np.bincount(words.words, minlength=len(words)) for words in by_window])
    return float((sizes > 1).mean()), len(sizes), float(np.concatenate([words.unspaced for words in by_window]).mean())


def _units(both: Sequence[Subject]) -> pd.DataFrame:
    """One row a statistic: mean over all heads, and chance, over tokens and over words."""
    columns: dict[str, Any] = {"statistic": list(BY_LABEL)}
    for subject in both:
        heads = subject.results.statistics
        columns[f"over_{subject.name}"] = [heads[one.name].mean() for one in BY_LABEL.values()]
        columns[f"chance_over_{subject.name}"] = [heads[one.chance].mean() for one in BY_LABEL.values()]
    return pd.DataFrame(columns)
