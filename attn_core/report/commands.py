"""The commands that make a report again, from what stands beside its numbers."""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from attn_core.io.paths import last_part
from attn_core.models.controls import CONTROLS, SEEDS
from attn_core.models.files import STACKS, TWIN_IN_NAME, ModelSpec, Stack, without_twin
from attn_core.options import CORPUS, PAIRS, model_values, to_argv
from attn_core.patterns.ruled import BY_NAME
from attn_core.reproduction.named_models import spec_of
from attn_core.reproduction.opened import Reproduction

PROGRAM = "python -m attn_core"
REPORT = f"{PROGRAM} report FOLDER --out report.html"
UPLOADED = re.compile(r"[0-9a-f]{12}")  # how a page names a folder of uploaded texts
CHANGED = "# heads were removed, as attn_core.ablate does: see the model above"


def of_text(told: Mapping[str, Any]) -> str:
    """Of one text: the tables, then the report of them."""
    if "ablation" in told:
        return CHANGED
    window = ["--window", str(told["windows"])] if str(told["windows"]).isdigit() else []
    return _lines(
        ["analyze", "TEXT.txt", *_how({name: told[name] for name in (*PAIRS, "language")}, str(told["model"])), *window]
    )


def of_study(manifest: Mapping[str, Any]) -> str:
    """Of a study."""
    if manifest["model"].get("ablation"):
        return CHANGED
    return _lines(["study", _texts(manifest["corpus"]["source"]), *_how_of(manifest)])


def of_patterns(manifest: Mapping[str, Any]) -> str:
    """Of a pattern run."""
    corpus = manifest["corpus"]
    names, rules = {label: name for name, label in BY_NAME.items()}, []
    for name, rule in corpus.get("rules", ()):
        if isinstance(rule, Mapping):
            rules += ["--own", str(name), str(rule.get("first", "")), str(rule.get("second", ""))]
        else:
            rules += ["--rule", names.get(name, name)]
    return _lines(["patterns", _texts(corpus["source"]), *rules, *_how_of(manifest)])


def of_comparison(subjects: Mapping[str, Mapping[str, Any]]) -> str:
    """Of a comparison: models with their marks, studies by the names of their folders."""
    named: list[str] = []
    of_texts: list[list[str]] = []
    for name, told in subjects.items():
        if "corpus_sha256" in told:
            named.append(name)
            continue
        if "ablation" in told:
            return CHANGED
        spec = _named(str(told["model"]))
        marks: list[str] = [spec.stack] if spec.stack != STACKS[0] else []
        marks += [] if spec.twin is None else ["{}{}".format(*spec.twin)]
        marks += [str(told[mark]) for mark in ("layout", "measure", "unit")]
        named.append("+".join([spec.name, *marks]))
        how = {"share": told["share"], "with_special": told["with_special"], "window_tokens": spec.window_tokens}
        of_texts.append(["--text", "TEXT.txt", *to_argv(how)])
    if any(one != of_texts[0] for one in of_texts):
        return "# shares, special tokens or windows differ, which only the page Compare has: see what was read"
    return _lines(["compare", *named, *(of_texts[0] if of_texts else [])])


def of_ablation(manifest: Mapping[str, Any]) -> str:
    """Of removed heads; of labelled texts it knows their digest alone, which stands in the report."""
    settings = manifest["settings"]
    asked = [f"--{settings['what']}"] if settings["what"] != "heads" else []
    asked += ["--heads", *settings["heads"]] if settings["heads"] else []
    given = ["--labels", "LABELS.csv"] if settings["labels_sha256"] else []
    given += ["--order", settings["order"]] if settings["what"] == "curve" else []
    texts = _texts(manifest["corpus"]["source"])
    return _lines(["ablate", texts, *_how_of(manifest), "--replace", str(settings["replace"]), *given, *asked])


def of_series(manifest: Mapping[str, Any], steps: pd.DataFrame, beside: Sequence[str] = ()) -> str:
    """Of a training: of the checkpoints or revisions that its steps are; of its texts it knows their digest alone.

    beside: the options of what else was asked, --twins, --entropy.
    """
    if steps["name"].str.startswith("checkpoint-").all():
        sources = ["--checkpoints", "CHECKPOINTS"]
    else:
        sources = ["--revisions", *steps["name"], "--steps", *map(str, steps["step"])]
    return _lines(
        ["series", str(manifest["model"]), *sources, "--texts", "TEXTS", *to_argv(manifest["settings"]), *beside]
    )


def of_reproduction(reproduction: Reproduction) -> str:
    """Of a reproduction: a command a corpus and set of controls, all into one folder."""
    settings, readings = reproduction.settings, reproduction.readings
    every = []
    for row in reproduction.corpora.to_dict("records"):
        by_how: dict[tuple[tuple[str, ...], int, Stack, int], list[str]] = {}
        for model, own in readings[readings["corpus"] == row["corpus"]].groupby("model", sort=False):
            controls = tuple(str(name) for name in CONTROLS if (own["control"] == name).any())
            spec = spec_of(str(model))
            by_how.setdefault((controls, int(own["seed"].nunique()), spec.stack, spec.window_tokens), []).append(
                spec.name
            )
        texts = {name: row[name] for name in CORPUS if not pd.isna(row.get(name))}
        for (controls, twins, stack, window), models in by_how.items():
            how = {"stack": stack, "window_tokens": window, "windows": settings["windows"], "twins": twins or SEEDS,
                   "name": row["corpus"]}  # fmt: skip
            command = ["reproduce", _texts(row["source"]), "--models", *models, "--controls", *controls]
            every.append(f"{PROGRAM} {shlex.join([*command, *to_argv(texts, how)])} --out FOLDER")
    return "\n".join([*every, REPORT])


def _lines(command: list[str]) -> str:
    return f"{PROGRAM} {shlex.join(command)} --out FOLDER\n{REPORT}"


def _how_of(manifest: Mapping[str, Any]) -> list[str]:
    """Texts, model and settings of a manifest; where the texts are is left out."""
    corpus = {name: value for name, value in manifest["corpus"].items() if name != "source"}
    return _how({**manifest["settings"], **corpus}, manifest["model"]["name"])


def _how(settings: Mapping[str, Any], model: str) -> list[str]:
    """The options of a model by its printed name, and of settings."""
    return to_argv(settings, model_values(_named(model), settings["layout"]))


def _named(model: str) -> ModelSpec:
    """A model as its printed name describes it."""
    name, twin = without_twin(model, TWIN_IN_NAME)
    return replace(spec_of(name), twin=twin)


def _texts(source: object) -> str:
    """The name of a corpus; of files that were uploaded on a page nobody else has the folder."""
    name = last_part(source)
    return "TEXTS" if UPLOADED.fullmatch(name) else name
