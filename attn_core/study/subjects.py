"""The subjects of a study: models, their baselines, and steps of a training."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

from attn_core.errors import InputError, check_type
from attn_core.head import head_of
from attn_core.io.paths import display_name, printable
from attn_core.models.baselines import SEEDS, Control, control_of
from attn_core.models.files import COPIES, STACKS, WINDOW, ModelSpec, checkpoints_of, has_vocabulary
from attn_core.models.removal import REPLACEMENTS, Removal, Replace
from attn_core.texts.passages import Layout

SHUFFLED: Layout = "shuffled"
STEP = re.compile(r"(?<!\d)(\d{1,12})(k?)(?=\D*$)", re.IGNORECASE)  # the last number: step143000, step_20k
MARK = re.compile(
    rf"(.+)\+(?:(?P<stack>decoder|cross)|window:(?P<window>\d{{1,9}})"
    rf"|without:(?P<heads>[^+:]*):(?P<replace>{'|'.join(REPLACEMENTS)})"
    rf"|(?P<copy>{'|'.join(COPIES)})(?::(?P<seed>\d{{1,18}}))?)",
    re.DOTALL,
)


@dataclass(frozen=True)
class Subject:
    """A model that reads the texts of a study in a layout.

    name: unique in a study, but shared by the steps of a training. of: the name of the subject whose baseline it is, or
    empty. A baseline without a step applies to every step. seed: of the order of tokens in the layout "shuffled".

    >>> attn_core.Subject("MiniLM, separated", model.spec, layout="separated").label
    'MiniLM, separated'
    """

    name: str
    spec: ModelSpec
    layout: Layout = "plain"
    step: int | None = None
    of: str = ""
    seed: int = 0

    @property
    def baseline(self) -> Control | None:
        """The kind of a baseline; None for other subjects."""
        return control_of(self.spec, self.layout)

    @property
    def label(self) -> str:
        """The name with the step."""
        return self.name if self.step is None else f"{self.name}, step {self.step:,}"

    @property
    def slug(self) -> str:
        """The name of its folder, readable and unique."""
        key = f"{self.name}\0{self.step}"
        return f"{slug(self.name)}-{sha256(key.encode('utf-8', 'surrogateescape')).hexdigest()[:8]}"

    @property
    def facts(self) -> dict[str, Any]:
        """The subject as JSON data; `from_facts` reads it."""
        spec = {**asdict(self.spec), "ablation": None, **self.spec.removed}
        facts = {"name": self.name, "spec": spec, "layout": self.layout, "step": self.step, "of": self.of}
        return {**facts, "seed": self.seed}

    @property
    def training(self) -> str:
        """The name of the model, or the training, that it is or is a baseline of."""
        return self.of or self.name

    def serves(self, other: "Subject") -> bool:
        """Whether it is a baseline of another subject."""
        return self.of == other.name and self.step in (None, other.step)


def from_facts(facts: Mapping[str, Any]) -> Subject:
    """A subject from its facts."""
    spec = dict(facts["spec"])
    removal = Removal(tuple(spec["ablation"]["heads"]), spec["ablation"]["replace"]) if spec["ablation"] else None
    copy = None if spec["copy"] is None else tuple(spec["copy"])
    return Subject(**{**facts, "spec": ModelSpec(**{**spec, "copy": copy, "ablation": removal})})


def subject_name(spec: ModelSpec) -> str:
    """The name of a model in a study, with its stack, window, removed heads and copy after a +.

    >>> subject_name(ModelSpec("google-t5/t5-small", stack="cross", copy=("untrained", 7)))
    'google-t5/t5-small+cross+untrained:7'
    """
    check_type(spec, ModelSpec, "A model of a study")
    marks: list[str] = [] if spec.stack == STACKS[0] else [spec.stack]
    if spec.window_tokens != WINDOW:
        marks.append(f"window:{spec.window_tokens}")
    if spec.ablation:
        marks.append(f"without:{','.join(map(str, spec.ablation.heads))}:{spec.ablation.replace}")
    if spec.copy:
        marks.append(f"{spec.copy[0]}:{spec.copy[1]}")
    return "+".join([display_name(spec.name), *marks])


def spec_named(name: str, **how: Any) -> ModelSpec:
    """The model of a name from `subject_name`. how: other fields of its `ModelSpec`.

    A + that no mark follows is part of the name of a folder.

    >>> spec_named("google-t5/t5-small+cross+untrained:7").copy
    ('untrained', 7)
    """
    marked: dict[str, Any] = {}
    while match := MARK.fullmatch(name):
        name, mark = match[1], match.groupdict()
        if mark["copy"]:
            marked["copy"] = (mark["copy"], int(mark["seed"] or 0))
        elif mark["replace"]:
            heads = [head_of(name) for name in mark["heads"].split(",") if name]
            marked["ablation"] = Removal(tuple(heads), cast(Replace, mark["replace"]))
        elif mark["window"]:
            marked["window_tokens"] = int(mark["window"])
        else:
            marked["stack"] = mark["stack"]
    return ModelSpec(name, **how | marked)


def with_baselines(
    models: Sequence[ModelSpec | Subject],
    baselines: Sequence[Control] = (),
    seeds: int = SEEDS,
    layout: Layout = "plain",
) -> list[Subject]:
    """All models, or steps of a training, each followed by its baselines. seeds: the number of each kind.

    The steps of a training share their untrained copies. Raises InputError if two models have the same name.

    >>> subjects = attn_core.with_baselines([attn_core.ModelSpec("org/model")], ["untrained", "shuffled_text"], seeds=1)
    >>> [subject.name for subject in subjects]
    ['org/model', 'org/model+untrained:0', 'org/model+shuffled_text:0']
    """
    own = [one if isinstance(one, Subject) else Subject(subject_name(one), one, layout) for one in models]
    of_a_step = [kind for kind in baselines if kind != "untrained"]
    subjects: list[Subject] = []
    for one in own:
        subjects += [one, *baselines_of(one, baselines if one.step is None else of_a_step, seeds)]
    if "untrained" in baselines:
        trainings = {one.name: one for one in own if one.step is not None}
        copies = [copy for last in trainings.values() for copy in baselines_of(last, ["untrained"], seeds)]
        subjects += [replace(copy, step=None) for copy in copies]
    refuse_twice(subjects)
    return subjects


def baselines_of(subject: Subject, baselines: Sequence[Control], seeds: int = SEEDS) -> list[Subject]:
    """The baselines of a subject."""
    made = []
    for kind in baselines:
        for seed in range(seeds):
            name = f"{subject.name}+{kind}:{seed}"
            if kind == "shuffled_text":
                made.append(Subject(name, subject.spec, SHUFFLED, subject.step, subject.name, seed))
            else:
                spec = replace(subject.spec, copy=(kind, seed))
                made.append(Subject(name, spec, subject.layout, subject.step, subject.name))
    return made


def refuse_twice(subjects: Sequence[Subject]) -> None:
    """Raise InputError if two subjects have the same name and step."""
    seen: dict[tuple[str, int | None], Subject] = {}
    for one in subjects:
        if seen.setdefault((one.name, one.step), one) != one:
            raise InputError(
                f"Two of the subjects are called {printable(one.label)}: give each a name or a step of its own."
            )


def slug(name: str) -> str:
    """The name as a name of a folder that every system allows."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-")[:60] or "subject"


def from_revisions(
    spec: ModelSpec, revisions: Sequence[str], numbers: Sequence[int] | None = None, layout: Layout = "plain"
) -> list[Subject]:
    """The steps of a training from revisions of a hub model, numbered by their names unless numbers are given.

    Raises InputError if a name has no number.
    """
    if numbers is not None and len(numbers) != len(revisions):
        raise InputError(f"There are {len(numbers)} steps for {len(revisions)} revisions: give one for each.")
    found = [_number_of(revision) for revision in revisions] if numbers is None else numbers
    steps = [
        Subject(subject_name(spec), replace(spec, revision=name), layout, number)
        for number, name in zip(found, revisions, strict=True)
    ]
    return sorted(steps, key=lambda subject: subject.step or 0)


def from_checkpoints(
    folder: Path, base: ModelSpec, layout: Layout = "plain", numbers: Sequence[int] | None = None
) -> list[Subject]:
    """The steps of a training from its `checkpoint-*` folders, with the windows of the base model.

    numbers: of the steps; None for all. Where no checkpoint has a tokenizer, that of the base model is used. Raises
    InputError if there is no checkpoint, or none of a number.
    """
    found = checkpoints_of(folder)
    if not found:
        raise InputError(f"{printable(folder)} holds no checkpoint: trainings leave folders like checkpoint-500.")
    if missing := sorted({*(numbers or ())} - found.keys()):
        raise InputError(
            f"{printable(folder)} has no checkpoint-{missing[0]}: its steps are {', '.join(map(str, sorted(found)))}."
        )
    name = subject_name(replace(base, name=str(folder)))
    # A checkpoint without a tokenizer among others that have one is still being written, which its loading reports.
    tokenizer = None if any(map(has_vocabulary, found.values())) else base.name
    specs = {step: replace(base, name=str(path), revision=None, tokenizer=tokenizer) for step, path in found.items()}
    return [Subject(name, specs[step], layout, step) for step in sorted({*(numbers or found)})]


def _number_of(revision: str) -> int:
    match = STEP.search(revision)
    if match is None:
        raise InputError(f"The revision {printable(revision)} has no number: give the steps of all with --steps.")
    return int(match[1]) * (1000 if match[2] else 1)
