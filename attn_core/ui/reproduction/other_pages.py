"""What other pages add to a reproduction: patterns that its models see in the same texts, and heads that were removed."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from attn_core.errors import InputError
from attn_core.reproduction.conclusions import short
from attn_core.reproduction.named_models import spec_of
from attn_core.runs import folder as files
from attn_core.ui.caches import in_folders
from attn_core.ui.reproduction.choosing import Shown
from attn_core.ui.runs.kinds import ABLATION, PATTERNS, Kind
from attn_core.ui.widgets import show
from attn_core.ui.widgets.escape import plain

SENTENCES = 2  # of an ablation: its last are those on sets of heads, single ones stand before them
Manifest = dict[str, Any]


def show_other_pages(shown: Shown) -> None:
    """A way to each finished run of patterns in the same texts, and what each of removed heads says of a model shown here."""
    for folder, manifest in _finished(PATTERNS):
        if manifest.get("model", {}).get("name") in shown.models and _of_these_texts(manifest, shown):
            _patterns(folder, manifest)
    removed = [one for one in _finished(ABLATION) if _was_read(one[1].get("model", {}), shown)]
    removed.sort(key=lambda one: not _of_these_texts(one[1], shown))
    for folder, manifest in removed[:1]:
        _ablation(folder, manifest, shown)
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
        "pages/6_Patterns.py", label=f"Patterns in these texts, which heads of {plain(short(manifest['model']['name']))} see "
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
        ablation = in_folders.opened(ABLATION.name, folder)
        sentences = " ".join(list(answers(ablation))[-SENTENCES:])
    except InputError as error:
        st.caption(f":material/info: {plain(error)}")
        return
    about, settings = ablation.provenance, manifest["settings"]
    corpus = "this corpus" if _of_these_texts(manifest, shown) else short(str(manifest["corpus"]["source"]))
    name = str(manifest["model"]["name"])
    model = manifest["model"].get("place") or spec_of(name).name
    said = f"Heads removed in {short(name)}, {over(about)} of {corpus}. {sentences}"
    st.markdown(f":material/content_cut: {plain(said)}")
    heads = {"off": " ".join(settings["heads"]), "replace": settings["replace"]} if settings["heads"] else {}
    st.page_link(
        "pages/7_Interventions.py", label=f"All of it on Interventions: {plain(folder.name)}",
        icon=":material/arrow_forward:",
        query_params={"model": model, ABLATION.place: folder.name, f"open-{ABLATION.place}": "true", **heads},
    )  # fmt: skip


def _of_these_texts(manifest: Manifest, shown: Shown) -> bool:
    corpora = shown.reproduction.corpora.set_index("corpus")["fingerprint"]
    return manifest.get("corpus", {}).get("fingerprint") == corpora[shown.corpus]


def _was_read(model: dict[str, Any], shown: Shown) -> bool:
    """Whether it is a model that is shown, with the same weights."""
    readings = shown.reproduction.readings
    own = readings[(readings["control"] == "none") & readings["model"].isin(shown.models)]
    return ((own["model"] == model.get("name")) & (own["revision"] == model.get("revision"))).any()
