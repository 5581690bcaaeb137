"""What a study shows, at work or finished: findings, curves with bands, anchors with their stability, tables, texts left out."""

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path

import streamlit as st

from attn_core.charts.anchors import stability_map, uniqueness_curve
from attn_core.charts.distances import distances_at_a_glance, layer_curve
from attn_core.errors import InputError
from attn_core.findings.table import claims_table
from attn_core.findings.verdicts import Finding, findings
from attn_core.head import Head
from attn_core.measures.statistics import BY_NAME, Statistic
from attn_core.report.of_results import of_study
from attn_core.runs import folder as files
from attn_core.runs.kinds import KINDS
from attn_core.study.in_words import (
    layout_in_words,
    origin_in_words,
    settings_in_words,
    short_name,
    study_in_words,
    units_of,
    warnings_of,
)
from attn_core.study.opened import Study
from attn_core.texts.languages import AUTO, NAMES
from attn_core.ui.choice import Choice
from attn_core.ui.findings.examples import show_claim, show_examples
from attn_core.ui.findings.picture import show_picture
from attn_core.ui.runs import background, watching
from attn_core.ui.runs.kinds import STUDY
from attn_core.ui.runs.starting import choose_corpus, offer_run
from attn_core.ui.runs.watching import open_run
from attn_core.ui.shell.handing_on import report_button
from attn_core.ui.widgets import show
from attn_core.ui.widgets.downloads import archive_menu, archived, slug
from attn_core.ui.widgets.escape import plain

OF_CLAIM = {
    "C1": "head_overlap", "C2": "mean_distance", "C3": "same_sentence_share", "C4": "repetition_share",
    "C5": "anchor_uniqueness", "C6": "separator_attention", "C7": "noise_rate",
}  # fmt: skip
# Curves of the claims: beside the findings, and folded.
MAIN, OTHERS = "mean_distance", ("same_sentence_share", "repetition_share", "separator_attention")
OF_EACH_TEXT = "each text's own"


def show_folder(folder: Path, head: Head) -> None:
    """A study in whatever state it is: at work, stopped, damaged, or finished. head: the one whose pairs are read."""
    if study := open_run(STUDY, folder):
        show_study(study, head)
    elif (manifest := files.read_json(folder / files.MANIFEST)) and manifest.get("format") == KINDS["study"].format:
        st.caption(" · ".join(map(plain, origin_in_words(manifest))))


def show_study(study: Study, head: Head) -> None:
    """The tables of a finished study. head: the one whose pairs are read."""
    name, *about = map(plain, study_in_words(study))
    st.caption(" · ".join([f"**{name}**", *about]))
    with st.container(horizontal=True):
        archive_menu(
            "Download the study",
            study.folder.name,
            lambda form: archived(study.files(), study.folder.name, form),
            "study-as",
            "Every table",
            "content",
        )
        report_button("study", study.folder.name, partial(of_study, study), "pairs of its texts")
        watching.delete_button(study.folder)
    if not study.provenance["windows"]:
        st.info("No text of this corpus could be counted: the reasons are below.", icon=":material/info:")
        _bad_texts(study)
        return
    for said in warnings_of(study):
        st.info(said, icon=":material/info:")
    left, right = st.columns(2, gap="large")
    with left:
        st.header("What these texts show", anchor=False)
        found = findings(study)
        show_picture(claims_table(found), "study", across=0.5)
        show.folded("Numbers and rules, row by row", "rows", partial(_rows, study, found))
    with right:
        st.header(BY_NAME[MAIN].label, anchor=False)
        _curve(study, MAIN)
    with st.container(border=True, key="head-a"):
        st.header(f"{head}: pairs to read", anchor=False)
        show_examples(study, [head], "corpus")
    show.folded("Other curves by layer", "study-curves", partial(_other_curves, study))
    show.folded("How far all layers reach, at a glance", "study-reach", partial(_reach, study))
    show.folded("Anchors: do heads keep theirs, has each one of its own?", "study-anchors", partial(_anchors, study))
    _numbers(study)
    _bad_texts(study)


def _rows(study: Study, found: Sequence[Finding]) -> None:
    """The findings, a line each; a click unfolds the rule with its numbers, and pairs in which the claim can be read."""
    for finding in found:
        with st.expander(show.verdict(finding)):
            st.markdown(plain(finding.sentence))
            show.rule(finding)
            _beside(study, finding)


def _beside(study: Study, finding: Finding) -> None:
    """What follows a finding: its interval, and pairs in which it can be read."""
    statistic = BY_NAME[OF_CLAIM[finding.claim]]
    if study.layers[statistic.name].notna().all():  # a layer of one head has no overlap
        st.caption(intervals_in_words(study, statistic))
    show_claim(study, finding)


def intervals_in_words(study: Study, statistic: Statistic) -> str:
    """The statistic of a finding in the first and the last layer, each with its 95 % interval."""
    layers = study.layers
    number, (low, high) = f"{{:{statistic.exact_format}}}".format, statistic.bounds
    ends = [
        f"{number(row[statistic.name])} [{number(row[low])}, {number(row[high])}] in layer {row['layer']:.0f}"
        for _, row in layers.iloc[[0, -1] if len(layers) > 1 else [0]].iterrows()
    ]
    return f"{statistic.label}, with 95% intervals over {units_of(study)}: {', '.join(ends)}."


def _curve(study: Study, name: str) -> None:
    """A statistic by layer, with its band and its chance level."""
    st.caption(BY_NAME[name].question)
    show.chart(
        layer_curve(study.heads, study.layers, BY_NAME[name].over(study.unit)),
        f"study-{name}",
        f"{BY_NAME[name].label} of every head, by layer",
    )


def _other_curves(study: Study) -> None:
    for column, name in zip(st.columns(len(OTHERS), gap="large"), OTHERS, strict=True):
        with column:
            st.header(BY_NAME[name].label, anchor=False)
            _curve(study, name)


def _reach(study: Study) -> None:
    st.caption("How many times more often than chance the strong pairs of a layer have a distance.")
    show.chart(
        distances_at_a_glance(study.distance_bins, study.unit),
        "study-distances",
        "How much more often than chance strong pairs have a distance, by layer",
    )


def _anchors(study: Study) -> None:
    """Anchors: how steady they are, and how much of its own each head's is."""
    heads = study.heads
    st.caption(
        "Every head's anchor over all texts, coloured by the share of windows in which it is the head's anchor too: "
        f"{heads['anchor_stability'].mean():.0%} on average, where another head of the model has it in "
        f"{heads['chance_anchor_stability'].mean():.0%}."
    )
    show.chart(stability_map(heads), "study-anchors", "How often the anchor of each head is its anchor in one window")
    st.caption("Distinct anchors within a window, mean over the windows.")
    show.chart(
        uniqueness_curve(study.layers), "study-uniqueness", "How many of a layer's heads have an anchor of their own"
    )


def _numbers(study: Study) -> None:
    """Layers and heads as tables."""
    show.folded_table("Every layer", study.layers, "study-layers", study.provenance)
    show.folded_table("Every head", study.heads, "study-heads", study.provenance)
    columns = show.shares("coverage", "chance_coverage", "chance_token_coverage", "stability")
    show.folded_table(
        "Anchors and runners-up of every head", study.anchors, "study-anchor-tokens", study.provenance, columns
    )


def _bad_texts(study: Study) -> None:
    """The texts that were left out, and why."""
    bad = study.table("bad_texts")
    if len(bad):
        with st.expander(f"{len(bad):,} texts were left out"):
            show.table(bad, "study-bad-texts", study.provenance)


def begin(choice: Choice) -> None:
    """Model and settings are those of the sidebar."""
    model = short_name(choice.spec)
    if (corpus := choose_corpus()) is None:
        return
    left, right = st.columns(2)
    languages = {OF_EACH_TEXT: AUTO} | {code: code for code in NAMES}
    language = right.selectbox(
        "Language of the texts",
        list(languages),
        key="corpus_language",
        bind="query-params",
        help="Decides where sentences end. Told by each text itself, unless you name one.",
    )
    usual = slug(f"{Path(corpus.source).stem} {model}")
    name = left.text_input("Name of the study", key="study_name", bind="query-params", placeholder=usual) or usual
    settings = ", ".join(settings_in_words(asdict(choice.settings) | {"unit": choice.unit}))
    st.caption(
        f"Model and settings are those of the sidebar: {plain(model)}, {settings}, {layout_in_words(choice.layout)}."
    )
    try:
        command = background.of_study(corpus, languages[language], choice)
    except InputError as error:
        st.caption(f":material/info: {plain(error)}")
        return
    offer_run(STUDY, name, command, plan="Counting a few windows of these texts")
