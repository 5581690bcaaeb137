"""The commands that make a report again, told from what stands beside its numbers."""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from attn_core.io.paths import last_part
from attn_core.models.controls import CONTROLS, SEEDS
from attn_core.models.files import SOURCE, STACKS, TWIN_IN_NAME, WINDOW, ModelSpec, Stack, Twin, without_twin
from attn_core.patterns.ruled import BY_NAME
from attn_core.reproduction.named_models import spec_of
from attn_core.reproduction.opened import Reproduction
from attn_core.study.settings import DEFAULT

PROGRAM = "python -m attn_core"
REPORT = f"{PROGRAM} report FOLDER --out report.html"
UPLOADED = re.compile(r"[0-9a-f]{12}")  # how a page names a folder of uploaded texts
CHANGED = "# heads were changed, which only the page Interventions does: see the model above"


def of_text(told: Mapping[str, Any]) -> str:
    """Of one text: the tables, then the report of them."""
    model = _model(told)
    if model is None:
        return CHANGED
    window = ["--window", str(told["windows"])] if str(told["windows"]).isdigit() else []
    command = ["analyze", "TEXT.txt", *model, *_settings(told), "--language", str(told["language"]), *window]
    return _lines(command)


def of_study(manifest: Mapping[str, Any]) -> str:
    """Of a study."""
    settings = manifest["settings"]
    more = ["--shard-characters", str(settings["shard_characters"]), *_seed(settings)]
    told = {**settings, "model": manifest["model"]["name"]}
    return _lines(["study", *_corpus(manifest), *(_model(told) or ()), *_settings(told), *more])


def of_patterns(manifest: Mapping[str, Any]) -> str:
    """Of a pattern run."""
    corpus, settings = manifest["corpus"], manifest["settings"]
    names, rules = {label: name for name, label in BY_NAME.items()}, []
    for name, rule in corpus.get("rules", ()):
        if isinstance(rule, Mapping):
            rules += ["--own", str(name), str(rule.get("first", "")), str(rule.get("second", ""))]
        else:
            rules += ["--rule", names.get(name, name)]
    texts = _corpus(manifest) if rules else [_texts(corpus["source"])]
    told = {**settings, "model": manifest["model"]["name"]}
    return _lines(["patterns", *texts, *rules, *(_model(told) or ()), *_layout(told), *_seed(settings)])


def of_comparison(subjects: Mapping[str, Mapping[str, Any]]) -> str:
    """Of a comparison: models with their marks, studies by the names of their folders."""
    named: list[str] = []
    of_texts: list[list[str]] = []
    for name, told in subjects.items():
        if "corpus_sha256" in told:
            named.append(name)
            continue
        model = _Told.of(told)
        if model.changed:
            return CHANGED
        marks: list[str] = [model.spec.stack] if model.spec.stack != STACKS[0] else []
        marks += [] if model.twin is None else ["{}{}".format(*model.twin)]
        marks += [str(told[mark]) for mark in ("layout", "measure", "unit")]
        named.append("+".join([model.spec.name, *marks]))
        special = [] if told["with_special"] else ["--no-special"]
        of_texts.append(["--text", "TEXT.txt", "--share", str(told["share"]), *special, *model.windows, *model.source])
    if any(one != of_texts[0] for one in of_texts):
        return "# shares, special tokens, windows or sources differ, which only the page Compare has: see what was read"
    return _lines(["compare", *named, *(of_texts[0] if of_texts else [])])


def of_ablation(manifest: Mapping[str, Any]) -> str:
    """Of removed heads; of labelled, annotated and gold texts it knows their digest alone, which stands in the report."""
    settings = manifest["settings"]
    told = {**settings, "model": manifest["model"]["name"]}
    asked = [f"--{settings['what']}"] if settings["what"] != "heads" else []
    asked += ["--heads", *settings["heads"]] if settings["heads"] else []
    files = {"labels": "LABELS.csv", "gap": "GAP.tsv", "gold": "GOLD"}
    given = [part for name, file in files.items() if settings.get(f"{name}_sha256") for part in (f"--{name}", file)]
    how = ["--replace", str(settings["replace"]), *given, *_layout(told), *_seed(settings)]
    return _lines(["ablate", *_corpus(manifest), *(_model(told) or ()), *how, *asked])


def of_series(manifest: Mapping[str, Any], steps: pd.DataFrame, beside: Sequence[str] = ()) -> str:
    """Of a training: of the checkpoints or revisions that its steps are; of its texts it knows their digest alone.

    beside: the options of what else was asked, --twins, --entropy.
    """
    settings = manifest["settings"]
    if steps["training_seconds"].notna().any():
        return f"# counted by attn_core.HeadStatisticsCallback while the model trained\n{REPORT}"
    if steps["name"].str.startswith("checkpoint-").all():
        sources = ["--checkpoints", "CHECKPOINTS"]
    else:
        sources = ["--revisions", *steps["name"], "--steps", *map(str, steps["step"])]
    how = ["--texts", "TEXTS", "--language", str(settings["language"]), *_settings(settings), *_seed(settings)]
    shards = ["--shard-characters", str(settings["shard_characters"])]
    return _lines(["series", str(manifest["model"]), *sources, *how, *shards, *beside])


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
        for (controls, twins, stack, window), models in by_how.items():
            about = {name: value for name, value in row.items() if not pd.isna(value)}
            command = [
                "reproduce",
                *_corpus({"corpus": about, "settings": settings}),
                "--models",
                *models,
                "--controls",
                *controls,
            ]
            command += ["--twins", str(twins)] if twins not in (0, SEEDS) else []
            command += ["--stack", stack] if stack != STACKS[0] else []
            command += ["--window-tokens", str(window)] if window != WINDOW else []
            command += ["--windows", str(settings["windows"]), "--name", str(row["corpus"]), *_seed(settings)]
            every.append(f"{PROGRAM} {shlex.join(command)} --out FOLDER")
    return "\n".join([*every, REPORT])


def _lines(command: list[str]) -> str:
    return f"{PROGRAM} {shlex.join(command)} --out FOLDER\n{REPORT}"


def _model(told: Mapping[str, Any]) -> list[str] | None:
    """The model, as stack, windows and source are asked for, and its twin; None for one whose heads were changed."""
    model = _Told.of(told)
    if model.changed:
        return None
    how = [] if model.twin is None else ["--control", model.twin[0]]
    how += ["--stack", model.spec.stack] if model.spec.stack != STACKS[0] else []
    return ["--model", model.spec.name, *how, *model.windows, *model.source]


@dataclass(frozen=True)
class _Told:
    """A model as its printed name tells it. twin: its kind and seed. changed: whether heads were."""

    spec: ModelSpec
    twin: tuple[Twin, int] | None
    has_source: bool
    changed: bool

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> "_Told":
        whole, source, digest = str(told["model"]).partition(SOURCE)
        name, twin = without_twin(whole, TWIN_IN_NAME)
        spec = spec_of(name)
        return cls(spec, twin, bool(source), ", " in spec.name + digest)

    @property
    def windows(self) -> list[str]:
        return ["--window-tokens", str(self.spec.window_tokens)] if self.spec.windows else []

    @property
    def source(self) -> list[str]:
        return ["--source", "SOURCE.txt"] if self.has_source else []


def _settings(told: Mapping[str, Any]) -> list[str]:
    chosen = [
        *_layout(told),
        "--measure",
        str(told["measure"]),
        "--share",
        str(told["share"]),
        "--unit",
        str(told["unit"]),
    ]
    return chosen if told["with_special"] else [*chosen, "--no-special"]


def _layout(told: Mapping[str, Any]) -> list[str]:
    return ["--control", "shuffled"] if told["layout"] == "shuffled" else ["--layout", str(told["layout"])]


def _seed(settings: Mapping[str, Any]) -> list[str]:
    return ["--seed", str(settings["seed"])] if settings["seed"] != DEFAULT.seed else []


def _texts(source: object) -> str:
    """The name of a corpus; of files that were uploaded on a page nobody else has the folder."""
    name = last_part(source)
    return "TEXTS" if UPLOADED.fullmatch(name) else name


def _corpus(manifest: Mapping[str, Any]) -> list[str]:
    """The texts by the name of their file or folder; where it lies is left out."""
    corpus = manifest["corpus"]
    language = str(corpus.get("language") or manifest["settings"]["language"])
    parts = [_texts(corpus["source"]), "--documents", str(corpus["documents"]), "--language", language]
    for name in ("column", "limit", "groups"):
        if corpus.get(name) is not None:
            parts += [f"--{name}", str(corpus[name])]
    return parts
