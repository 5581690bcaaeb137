"""What was read and how, in words: above a page, under a figure that travels alone, in a report."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from attn_core.models.files import ModelSpec
from attn_core.numerics.leave_one_out import LEAST
from attn_core.similarity.strong_pairs import Measure, Settings
from attn_core.study.opened import Study

# Streamlit puts what a widget shows into the address, so that these labels must stay as they are.
MEASURES: dict[str, Measure] = {"scalar product": "dot", "cosine": "cosine", "centred cosine": "centred"}
LABELS = {measure: label for label, measure in MEASURES.items()}
UNTRIED = (
    "The bars of the verdicts were tried with the scalar product and the strongest 1% of tokens alone: hold this study against "
    "those of its twins (Compare) before as in the paper is believed."
)


def study_in_words(study: Study) -> list[str]:
    """Name, size, corpus, model and settings of a finished study."""
    about = study.provenance
    bad = f", {about['bad_texts']:,} left out" if about["bad_texts"] else ""
    texts = "1 text" if about["texts"] == 1 else f"{about['texts']:,} texts"
    size = f"{texts} in {about['windows']:,} windows{bad}"
    return [study.folder.name, size, *origin_in_words(study.manifest), f"95% intervals over {units_of(study)}"]


def units_of(study: Study) -> str:
    """What the intervals of a study leave out."""
    return "groups of texts" if study.provenance.get("groups") else "texts"


def warnings_of(study: Study) -> list[str]:
    """What keeps a study from saying all that it could."""
    said = []
    groups = study.provenance.get("groups")
    if too_few := too_few_texts(groups or study.provenance["texts"], "groups" if groups else "texts"):
        said.append(too_few)
    if study.lacks:
        names = ", ".join(statistic.label for statistic in study.lacks)
        said.append(f"Made by another version of this program, it lacks {names}: run it anew, in a new folder.")
    if any(
        study.manifest["settings"][name] != usual for name, usual in (asdict(Settings()) | {"unit": "tokens"}).items()
    ):
        said.append(UNTRIED)
    return said


def too_few_texts(texts: int, what: str = "texts") -> str:
    """Says that so many texts, or groups, have no interval; empty where they are enough."""
    number = f"one {what[:-1]} has" if texts == 1 else f"{texts} {what} have"
    return (
        "" if texts >= LEAST else f"Fewer than {LEAST} {what} have no interval, and no verdict: {number} been counted."
    )


def origin_in_words(manifest: Mapping[str, Any]) -> list[str]:
    """Corpus, model and settings of a study."""
    settings = manifest["settings"]
    names = [manifest["corpus"]["source"], manifest["model"]["name"]]
    return [*(Path(name).name for name in names), layout_in_words(settings["layout"]), *settings_in_words(settings)]


def layout_in_words(layout: str) -> str:
    """Where the separators stand in the text that the model reads, or that its order is gone."""
    return "shuffled text" if layout == "shuffled" else f"{layout} layout"


def short_name(spec: ModelSpec) -> str:
    """A model without its publisher or folder, its control with it."""
    return str(replace(spec, name=spec.name.rsplit("/", 1)[-1]))


def settings_in_words(settings: Mapping[str, Any]) -> list[str]:
    """Similarity, share of pairs, and of what. settings: those of `similarity.strong_pairs`."""
    return [LABELS[settings["measure"]], pairs_in_words(settings, [settings["share"]])]


def percent(share: float, digits: int = 0) -> str:
    """0.05 as 5%."""
    return f"{share:z.{digits}%}"


def percents(shares: Sequence[float]) -> str:
    """0.3, 1 and 3%."""
    *most, last = (f"{100 * share:.10g}" for share in shares)
    return f"{', '.join(most)} and {last}%" if most else f"{last}%"


def pairs_in_words(settings: Mapping[str, Any], shares: Sequence[float]) -> str:
    """Shares of pairs, and of what. settings: those of `similarity.strong_pairs`."""
    strongest = f"strongest {percents(shares)} of pairs"
    if settings["unit"] == "words":
        return f"{strongest} of words"
    return f"{strongest}{'' if settings['with_special'] else ', special tokens left out'}"
