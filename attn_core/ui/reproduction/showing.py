"""What a reproduction shows: the answer, the grid of verdicts, one row of a claim under every choice (its specification curve and
what moves the number), a claim in a text of the corpus (read again when it is asked for, since a reproduction keeps no text),
and what other pages add.
"""

from collections.abc import Hashable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attn_core.analysis.one_text import Analysis
from attn_core.charts.reproduction import verdict_grid
from attn_core.comparison.causes import RULE, too_few
from attn_core.errors import InputError, cause
from attn_core.findings.bars import Bars
from attn_core.io.paths import last_part
from attn_core.models.files import ModelSpec
from attn_core.report.of_reproduction import of_reproduction
from attn_core.reproduction.conclusions import (
    Standing,
    claims_of,
    curve_table,
    grid_cells,
    names_of,
    standings,
    twins_of,
)
from attn_core.reproduction.curves import drawn_curve, whole_in_words
from attn_core.reproduction.examples import pairs_for, read_again
from attn_core.reproduction.named_models import spec_of
from attn_core.reproduction.opened import SAMPLES, Reproduction
from attn_core.runs import folder as files
from attn_core.texts.documents import SAMPLES_FOLDER
from attn_core.ui import readings
from attn_core.ui.findings.examples import example
from attn_core.ui.findings.picture import badges, show_picture
from attn_core.ui.reproduction.choosing import GRID, Shown, choose_row, choose_shown, clicked
from attn_core.ui.runs.kinds import ABLATION, PATTERNS, Kind
from attn_core.ui.runs.watching import delete_button
from attn_core.ui.shell.handing_on import report_button
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import number_input
from attn_core.ui.widgets.downloads import archive_menu, archived
from attn_core.ui.widgets.escape import plain

SENTENCES = 2  # of an ablation: its last are those on sets of heads, single ones stand before them
Manifest = dict[str, Any]
KEPT = 4  # analyses


def show_curve(shown: Shown, standings: dict[Bars, Standing]) -> None:
    """The curve of a row in a model, and what belongs to it."""
    st.header("One row under every choice", anchor=False)
    bars, model = choose_row(shown.models)
    words = bars.words[:1].upper() + bars.words[1:]
    st.markdown(f":violet-badge[{bars.claim}] :gray[Claimed: {bars.abstract}.] {plain(words)}: {plain(bars.rule)}.")
    if bars in standings and not standings[bars].effect:
        st.markdown(plain(standings[bars].reason))
    verdicts = shown.table("verdicts")
    curve = curve_table(verdicts, bars.effect, model)
    if curve.empty:
        st.info("No choice gives a number here.", icon=":material/info:")
        return
    title = f"{bars.name} in {last_part(model)} under every choice: {bars.words}"
    show.chart(drawn_curve(curve, bars), f"curve-{bars.effect}", title)
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
    """The curve as a whole, and what each choice explains of it."""
    rows = shown.table("curves")
    rows = rows[(rows["model"] == model) & (rows["control"] == "none") & (rows["effect_name"] == bars.effect)]
    for row in rows.to_dict("records"):
        st.markdown(" ".join(plain(sentence) for sentence in whole_in_words(row, bars) if sentence))


def show_reproduction(reproduction: Reproduction, row: DeltaGenerator) -> None:
    """All of it. row: where its corpus, models and controls are chosen."""
    shown = choose_shown(reproduction, row)
    every = _standings(reproduction, shown.corpus, ("none", *shown.controls))
    found = [one for one in every if one.model in shown.models]
    words = _in_words(shown)
    st.caption(" · ".join(map(plain, words)))
    # Why a model has no numbers, a sentence a model; the others went on.
    failed = reproduction.failed
    for model, rows in failed[failed["corpus"] == shown.corpus].groupby("model", sort=False):
        st.caption(f":material/error: {plain(last_part(model))}: {plain(rows['problem'].iloc[0])}")
    own = [one for one in found if one.model == shown.model and one.control == "none"]
    cells = grid_cells(found, names_of(shown.models))
    cells = cells.assign(chosen=(cells["row"] == shown.bars.effect) & (cells["model"] == shown.model))
    st.caption(
        "What most choices of the scalar product say of each row of the claims, and its effect under our usual choice. A click "
        "shows all choices."
    )
    show.chart(verdict_grid(cells), GRID, "Which of the paper's claims hold, under most choices", on_select=clicked)
    label = f"Row by row, {plain(last_part(shown.model))}: how many choices say so, and what is learned"
    show.folded(label, "by-claim", partial(_conclusions, own, shown))
    show_curve(shown, {one.bars: one for one in own})
    show_other_pages(shown)
    st.header("All of it", anchor=False)
    with st.container(horizontal=True):
        report_button("reproduction", reproduction.folder.name, partial(of_reproduction, reproduction))
        archive_menu(
            "Download the reproduction", reproduction.folder.name,
            lambda form: archived(reproduction.files(), reproduction.folder.name, form), "reproduction-as", "Every table",
            "content",
        )  # fmt: skip
        delete_button(reproduction.folder)
    for name, label in {"verdicts": "Every verdict", "readings": "What was read, by which model"}.items():
        show.folded_table(label, shown.table(name), name, shown.provenance)


@st.cache_resource(max_entries=8, show_spinner=False, hash_funcs={Reproduction: id})
def _standings(reproduction: Reproduction, corpus: str, controls: tuple[str, ...]) -> list[Standing]:
    verdicts = reproduction.verdicts
    return standings(verdicts[verdicts["corpus"] == corpus], controls)


def _in_words(shown: Shown) -> list[str]:
    """Name, corpus, models, size."""
    readings = shown.table("readings")
    texts, windows = int(readings["texts"].max()), int(readings["windows"].max())
    size = f"{texts:,} {'text' if texts == 1 else 'texts'} in {windows:,} {'window' if windows == 1 else 'windows'} a reading"
    return [shown.reproduction.folder.name, shown.corpus, ", ".join(map(last_part, shown.models)), size]


def _conclusions(own: list[Standing], shown: Shown) -> None:
    """What to conclude, row by row, of the model whose curve is drawn: under our usual choice as a picture, then under all."""
    show_picture(claims_of(own), "reproduction")
    with st.container(gap="xsmall", key="answer"):
        for one in own:
            origin = f"{badges(one.origin)} " if one.origin else ""
            st.markdown(f"{origin}**{one.bars.name}.** :small[{plain(one.summary)}]")
    readings = shown.table("readings")
    few = too_few(twins_of(readings[readings["model"] == shown.model])) if any(one.learned for one in own) else ""
    with st.container(horizontal=True, vertical_alignment="center"):
        if few:
            st.caption(f":material/info: {few}", width="content")
        with st.popover("The rule", icon=":material/rule:", type="tertiary", width="content"):
            st.markdown(RULE)


def show_other_pages(shown: Shown) -> None:
    """A way to each finished run of patterns in the same texts, and what each of removed heads says of a model shown here."""
    for folder, manifest in _finished(PATTERNS):
        if manifest.get("model", {}).get("name") in shown.models and _of_these_texts(manifest, shown):
            _patterns(folder, manifest)
    removed = [one for one in _finished(ABLATION) if _was_read(one[1].get("model", {}), shown)]
    removed.sort(key=lambda one: not _of_these_texts(one[1], shown))
    _ablations(removed[:1], shown)
    if others := removed[1:]:
        show.folded(f"Heads removed: {len(others)} more", "removed", partial(_ablations, others, shown))


def _finished(kind: Kind) -> Iterator[tuple[Path, Manifest]]:
    """The folders of a kind that hold tables."""
    for folder in sorted(kind.root.glob("*")):
        manifest = files.read_json(folder / files.MANIFEST)
        if manifest is not None and (folder / files.TABLES).exists():
            yield folder, manifest


def _patterns(folder: Path, manifest: Manifest) -> None:
    st.page_link(
        "pages/6_Patterns.py", label=f"Patterns in these texts, which heads of {plain(last_part(manifest['model']['name']))} see "
        f"them: {plain(folder.name)}", icon=":material/arrow_forward:",
        query_params={"scores": folder.name, f"open-{PATTERNS.place}": "true"},
    )  # fmt: skip


def _ablations(some: list[tuple[Path, Manifest]], shown: Shown) -> None:
    for folder, manifest in some:
        _ablation(folder, manifest, shown)


def _ablation(folder: Path, manifest: Manifest, shown: Shown) -> None:
    """Its main numbers, and a way to the page that shows all of it, with the same model and the same heads off."""
    from attn_core.interventions.opened import answers, over  # torch stands behind it

    try:
        ablation = readings.opened(ABLATION.name, folder)
        sentences = " ".join(list(answers(ablation))[-SENTENCES:])
    except InputError as error:
        st.caption(f":material/info: {plain(error)}")
        return
    about, settings = ablation.provenance, manifest["settings"]
    corpus = "this corpus" if _of_these_texts(manifest, shown) else last_part(manifest["corpus"]["source"])
    name = str(manifest["model"]["name"])
    model = manifest["model"].get("place") or spec_of(name).name
    said = f"Heads removed in {last_part(name)}, {over(about)} of {corpus}. {sentences}"
    st.markdown(f":material/content_cut: {plain(said)}")
    heads = {"off": " ".join(settings["heads"]), "replace": settings["replace"]} if settings["heads"] else {}
    st.page_link(
        "pages/7_Interventions.py", label=f"All of it on Interventions: {plain(folder.name)}",
        icon=":material/arrow_forward:",
        query_params={"model": model, ABLATION.place: folder.name, f"open-{ABLATION.place}": "true", **heads},
    )  # fmt: skip


def _of_these_texts(manifest: Manifest, shown: Shown) -> bool:
    return manifest.get("corpus", {}).get("fingerprint") == shown.table("corpora")["fingerprint"].iloc[0]


def _was_read(model: dict[str, Any], shown: Shown) -> bool:
    """Whether it is a model that is shown, with the same weights."""
    readings = shown.reproduction.readings
    own = readings[(readings["control"] == "none") & readings["model"].isin(shown.models)]
    return ((own["model"] == model.get("name")) & (own["revision"] == model.get("revision"))).any()


def show_in_a_text(shown: Shown, claim: str, model: str) -> None:
    """A toggle, and pairs for the claim in a text that the reader chooses."""
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        wanted = st.toggle("Read it in a text", key="read_claim", bind="query-params")
        if not wanted:
            return
        of_corpus = shown.table("readings")
        texts = int((of_corpus["texts"] + of_corpus["bad_texts"]).max())
        number = number_input("Text of the corpus", 1, texts, key="claim_text", width=180)
    about = shown.table("corpora").iloc[0].to_dict()
    ours = shown.reproduction.folder.parent == SAMPLES  # whose texts come with the project too
    source = str(SAMPLES_FOLDER) if ours else shown.reproduction.source(shown.corpus)
    revision = str(of_corpus.loc[of_corpus["model"] == model, "revision"].iloc[0])
    try:
        with st.spinner("Reading the text", show_time=True):
            analysis = _analysis(shown.reproduction.spec(model, revision), revision, about, source, number - 1)
            rows = pairs_for(claim, analysis, f"text {number}")
    except InputError as error:
        st.caption(f":material/info: {plain(error)}")
        return
    except OSError as error:
        st.caption(f":material/info: The texts cannot be read: {plain(cause(error))}.")
        return
    columns = st.columns(max(1, len(rows)))
    for column, (at, row) in zip(columns, rows.iterrows(), strict=False):
        with column:
            example(row, f"claim-{at}")
    st.caption("Pairs of its first window under our usual choice. They show what the claim means; they prove nothing.")


@st.cache_resource(max_entries=KEPT, show_spinner=False)
def _analysis(spec: ModelSpec, revision: str, corpus: dict[Hashable, Any], source: str, number: int) -> Analysis:
    return read_again(readings.model(spec), revision, corpus, source, number)
