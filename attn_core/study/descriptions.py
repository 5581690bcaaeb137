"""What was read and how, in words: above a page, under a figure that travels alone, in a report."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import pandas as pd

from attn_core.claims.claim import BY_EFFECT
from attn_core.io.paths import last_part
from attn_core.io.tables import markdown
from attn_core.models.files import ModelSpec
from attn_core.numerics.leave_one_out import LEAST
from attn_core.similarity.strong_pairs import Measure, Settings
from attn_core.similarity.words import UNITS
from attn_core.study.opened import Study
from attn_core.study.settings import SHARES, moved_by
from attn_core.texts.passages import LAYOUTS

# Streamlit puts what a widget shows into the address, so that these labels must stay as they are.
MEASURES: dict[str, Measure] = {"scalar product": "dot", "cosine": "cosine", "centred cosine": "centred"}
LABELS = {measure: label for label, measure in MEASURES.items()}
SETTINGS: Mapping[str, Sequence[tuple[object, str]]] = {  # that a study counts, by column, each with its words
    "measure": [*LABELS.items()],
    "share": [(share, f"strongest {100 * share:g}%") for share in SHARES],
    "special": [("in", "special tokens in"), ("out", "special tokens out")],
    "unit": [(unit, unit) for unit in UNITS],
    "layout": [(layout, f"{layout} layout") for layout in LAYOUTS],
}
UNTRIED = (
    "The thresholds of the claims were set with the scalar product and the strongest 1% of pairs of tokens: compare these models "
    "with copies and shuffled text before you trust a verdict."
)


def describe_study(study: Study) -> list[str]:
    """Name, size, corpus, subjects and settings of a finished study."""
    read = _first(study)
    bad = f", {read['bad_texts']:,} left out" if read["bad_texts"] else ""
    texts = "1 text" if read["texts"] == 1 else f"{read['texts']:,} texts"
    size = f"{texts} in {read['windows']:,} windows{bad}"
    units = "groups of texts" if study.manifest["corpus"]["groups"] else "texts"
    return [study.folder.name, size, *describe_origin(study), f"95% intervals over {units}"]


def warnings_of(study: Study) -> list[str]:
    """What keeps a study from saying all that it could."""
    said = []
    what = "groups" if study.manifest["corpus"]["groups"] else "texts"
    counted = _first(study).get(what)
    if (number := 0 if pd.isna(counted) else int(counted)) < LEAST:
        said.append(f"Fewer than {LEAST} {what} have no interval, and no verdict: this study has {number}.")
    usual = asdict(Settings()) | {"unit": "tokens"}
    if any(study.manifest["settings"][name] != value for name, value in usual.items()):
        said.append(UNTRIED)
    return said


def _first(study: Study) -> pd.Series:
    """The row of the first subject that was read."""
    subjects = study.table("subjects")
    return subjects[subjects["texts"].notna()].iloc[0]


def describe_origin(study: Study) -> list[str]:
    """Corpus, subjects and settings of a study."""
    names = [*dict.fromkeys(last_part(subject.name) for subject in study.own)]
    layouts = [*dict.fromkeys(describe_layout(subject.layout) for subject in study.own)]
    corpus = last_part(study.manifest["corpus"]["source"])
    return [corpus, ", ".join(names), ", ".join(layouts), *describe_settings(study.manifest["settings"])]


def claims_in_markdown(study: Study) -> str:
    """The claims of every model, or of the last step, under the settings of the study: a row a claim."""
    rows = []
    for subject in {subject.name: subject for subject in study.own}.values():
        for row in study.of(subject.name, subject.step).claims.to_dict("records"):
            claim = BY_EFFECT[row["effect"]]
            number = f"{claim.number(row['value'])} [{claim.number(row['low'])}, {claim.number(row['high'])}]"
            known = number if row["verdict"] != "not applicable" else ""
            rows.append([subject.label, claim.name, known, row["verdict"], row["more_than_untrained"]])
    return markdown(["subject", "claim", "effect [95%]", "verdict", "more than untrained"], rows)


def differing(rows: pd.DataFrame, effect: str) -> dict[str, Sequence[tuple[object, str]]]:
    """In what the settings of an effect differ: by column of a claims table, the values that there are, each with its words."""
    there = {name: [one for one in SETTINGS[name] if (rows[name] == one[0]).any()] for name in moved_by(effect)}
    return {name: values for name, values in there.items() if len(values) > 1}


def describe_layout(layout: str) -> str:
    """Where the separators stand in the text that the model reads, or that its order is gone."""
    return "shuffled text" if layout == "shuffled" else f"{layout} layout"


def short_name(spec: ModelSpec) -> str:
    """A model without its publisher or folder, its control with it."""
    return str(replace(spec, name=spec.name.rsplit("/", 1)[-1]))


def describe_settings(settings: Mapping[str, Any]) -> list[str]:
    """Similarity, share of pairs, and of what. settings: those of `similarity.strong_pairs`."""
    return [LABELS[settings["measure"]], describe_pairs(settings, [settings["share"]])]


def percent(share: float, digits: int = 0) -> str:
    """0.05 as 5%."""
    return f"{share:z.{digits}%}"


def percents(shares: Sequence[float]) -> str:
    """0.3, 1 and 3%."""
    *most, last = (f"{100 * share:.10g}" for share in shares)
    return f"{', '.join(most)} and {last}%" if most else f"{last}%"


def describe_pairs(settings: Mapping[str, Any], shares: Sequence[float]) -> str:
    """Shares of pairs, and of what. settings: those of `similarity.strong_pairs`."""
    strongest = f"strongest {percents(shares)} of pairs"
    if settings["unit"] == "words":
        return f"{strongest} of words"
    return f"{strongest}{'' if settings['with_special'] else ', special tokens left out'}"
