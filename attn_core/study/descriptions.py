"""Descriptions of studies and settings, for pages, commands and reports."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from glob import has_magic
from itertools import count
from pathlib import Path
from typing import Any

import pandas as pd

from attn_core.claims.table import HEADINGS, readable_claims
from attn_core.io.exports import markdown
from attn_core.io.paths import last_part
from attn_core.measures.few_pairs import MIN_PAIRS
from attn_core.models.files import ModelSpec
from attn_core.numerics.leave_one_out import LEAST
from attn_core.similarity.strong_pairs import LABELLED_MEASURES, Settings, number_of_strong_pairs
from attn_core.similarity.words import UNITS, Unit
from attn_core.study.corpus import Corpus
from attn_core.study.opened import Study
from attn_core.study.settings import SHARES, moved_by
from attn_core.study.subjects import slug
from attn_core.texts.passages import LAYOUTS

LABELS = {measure: label for label, measure in LABELLED_MEASURES.items()}
SETTINGS: Mapping[str, Sequence[tuple[object, str]]] = {  # of a study, by column, each with its label
    "measure": [*LABELS.items()],
    "share": [(share, f"strongest {100 * share:g}%") for share in SHARES],
    "special": [("in", "special tokens in"), ("out", "special tokens out")],
    "unit": [(unit, unit) for unit in UNITS],
    "layout": [(layout, f"{layout} layout") for layout in LAYOUTS],
}
LOOKED_AT, CHARACTERS = 500, 5_000_000  # texts that are looked at before a study starts, and their characters
BYTES: Mapping[Unit, int] = {"tokens": 4, "words": 5}  # of UTF-8, about: samples have 2.9 to 4.5 a token
UNTRIED = (
    "The thresholds of the claims were set with the scalar product and the strongest 1% of pairs of tokens: compare "
    "these models with copies and shuffled text before you trust a verdict."
)


def describe_study(study: Study) -> list[str]:
    """Sentences on the name, size, corpus, subjects and settings of a finished study."""
    read = _first(study)
    texts = "1 text" if read["texts"] == 1 else f"{read['texts']:,} texts"
    size = f"{texts} in {read['windows']:,} windows{describe_bad(read)}"
    units = "groups of texts" if study.manifest["corpus"]["groups"] else "texts"
    return [study.folder.name, size, *describe_origin(study), f"95% intervals over {units}"]


def describe_bad(read: Mapping[str, Any]) -> str:
    """The numbers of texts that were left out, and of those whose encoding was assumed, if any, for a sentence."""
    bad = f", {read['bad_texts']:,} left out" if read["bad_texts"] else ""
    assumed = read.get("assumed_encodings", 0)
    return bad + (f", {assumed:,} read as Windows-1252 since they are not UTF-8" if assumed else "")


def warnings_of(study: Study) -> list[str]:
    """The reasons why a study has no verdicts, or uncertain ones."""
    warnings = []
    what = "groups" if study.manifest["corpus"]["groups"] else "texts"
    counted = _first(study).get(what)
    if (number := 0 if pd.isna(counted) else int(counted)) < LEAST:
        warnings.append(f"Fewer than {LEAST} {what} have no interval, and no verdict: this study has {number}.")
    usual = asdict(Settings()) | {"unit": "tokens"}
    if any(study.manifest["settings"][name] != value for name, value in usual.items()):
        warnings.append(UNTRIED)
    return warnings


def left_out(study: Study) -> pd.DataFrame:
    """A row per subject that could not be counted, or is unlike the other steps of its training: subject, step, reason.

    A baseline that failed for the reason of its model has no row of its own.
    """
    subjects = study.table("subjects")
    table = subjects[["subject", "step"]].assign(reason=subjects["problem"] + subjects["unlike"])
    return table[table["reason"] != ""].drop_duplicates(["step", "reason"])


def _first(study: Study) -> pd.Series:
    """The row of the first subject that was read."""
    subjects = study.table("subjects")
    return subjects[subjects["texts"].notna()].iloc[0]


def describe_origin(study: Study) -> list[str]:
    """Sentences on the corpus, subjects and settings of a study."""
    names = [*dict.fromkeys(last_part(subject.name) for subject in study.own)]
    layouts = [*dict.fromkeys(describe_layout(subject.layout) for subject in study.own)]
    corpus = last_part(study.manifest["corpus"]["source"])
    return [corpus, ", ".join(names), ", ".join(layouts), *describe_settings(study.manifest["settings"])]


def default_name(source: str, spec: ModelSpec) -> str:
    """The name of a study that is given none: its corpus and its model. source: where the texts are."""
    path = Path(source)
    return slug(f"{path.parent.name if has_magic(path.name) else path.stem}-{short_name(spec)}")


def describe_short(corpus: Corpus, share: float, unit: Unit) -> str:
    """Sentences on the texts that are too short to count, by their bytes, and what that costs. share: of pairs."""
    least = next(n for n in count(2) if number_of_strong_pairs(n * (n - 1) // 2, share) >= MIN_PAIRS)
    groups, seen, characters = list[int](), 0, 0
    for text in corpus.texts():
        seen, characters = seen + 1, characters + len(text.text or "")
        groups += [text.group] if len((text.text or "").encode("utf-8", "replace")) >= BYTES[unit] * least else []
        if seen == LOOKED_AT or characters >= CHARACTERS:
            break
    read = f"of the first {seen:,} texts"
    if len(groups) == seen:
        return f"By its size, each {read} has the {least} {unit} that {MIN_PAIRS} strong pairs a head take."
    one = seen - len(groups) == 1
    these = f"About {seen - len(groups):,} {read}" if seen > 1 else "The text"
    short = f"shorter than {least} {unit}, too short for {MIN_PAIRS} strong pairs a head"
    said = f"{these} {'is' if one else 'are'} {short}"
    if not groups:
        return f"{said}: no claim about strong pairs can have a verdict."
    few = f" Fewer than {LEAST} are left, which give no interval and no verdict." if len(set(groups)) < LEAST else ""
    return f"{said}, and {'counts' if one else 'count'} for no verdict.{few}"


def claims_in_markdown(study: Study) -> str:
    """The claims of every model, or of the last step, under the settings of the study, as a Markdown table."""
    columns, rows = ("name", "number", "verdict", "more_than_untrained"), list[list[str]]()
    for subject in {subject.name: subject for subject in study.own}.values():
        claims = readable_claims(study.of(subject.name, subject.step).claims)
        none = claims["verdict"] == "not applicable"
        claims["verdict"] = claims["verdict"].mask(none, claims["verdict"] + ": " + claims["reason"])
        rows += [[subject.label, *row] for row in claims[list(columns)].itertuples(index=False)]
    return markdown(["subject", *(HEADINGS[name] for name in columns)], rows)


def differing(rows: pd.DataFrame, effect: str) -> dict[str, Sequence[tuple[object, str]]]:
    """The settings that vary for an effect: the values by column of a claims table, each with its label."""
    there = {name: [one for one in SETTINGS[name] if (rows[name] == one[0]).any()] for name in moved_by(effect)}
    return {name: values for name, values in there.items() if len(values) > 1}


def describe_layout(layout: str) -> str:
    """The name of a layout."""
    return "shuffled text" if layout == "shuffled" else f"{layout} layout"


def short_name(spec: ModelSpec) -> str:
    """The name of a model without its publisher or folder, with its control."""
    return str(replace(spec, name=spec.name.rsplit("/", 1)[-1]))


def describe_settings(settings: Mapping[str, Any]) -> list[str]:
    """Phrases for the measure, and for the share and unit of strong pairs."""
    strongest = f"strongest {100 * settings['share']:.10g}% of pairs"
    if settings["unit"] == "words":
        return [LABELS[settings["measure"]], f"{strongest} of words"]
    special = "" if settings["with_special"] else ", special tokens left out"
    return [LABELS[settings["measure"]], strongest + special]
