"""The steps of a training as subjects, and where the weights of each lie."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from attn_core.errors import InputError
from attn_core.io.paths import shown
from attn_core.models.files import ModelSpec, has_vocabulary
from attn_core.study.subjects import Subject, subject_name
from attn_core.texts.passages import Layout

CHECKPOINT = re.compile(r"checkpoint-(\d+)")
STEP = re.compile(r"(?<!\d)(\d{1,12})(k?)(?=\D*$)", re.IGNORECASE)  # the last number: step143000, step_20k


def from_revisions(
    spec: ModelSpec, revisions: Sequence[str], numbers: Sequence[int] | None = None, layout: Layout = "plain"
) -> list[Subject]:
    """Steps from the revisions of a hub model, their numbers from the names unless they are given.

    Raises InputError where a name tells no number, or two the same.
    """
    if numbers is not None and len(numbers) != len(revisions):
        raise InputError(f"There are {len(numbers)} steps for {len(revisions)} revisions: give one for each.")
    found = [_number_of(revision) for revision in revisions] if numbers is None else numbers
    steps = [
        Subject(subject_name(spec), replace(spec, revision=name), layout, number)
        for number, name in zip(found, revisions, strict=True)
    ]
    return _in_order(steps, "give each its step with --steps")


def from_checkpoints(folder: Path, base: ModelSpec, layout: Layout = "plain") -> list[Subject]:
    """Steps from the `checkpoint-*` folders of a training; one without a tokenizer reads with that of the base model,
    all in its windows.

    Raises InputError where there is none, and ModelError where one has no weights that can be read.
    """
    if not folder.is_dir():
        raise InputError(
            f"There is no folder {shown(folder)}: --checkpoints takes the folder that a training wrote into."
        )
    checkpoints = {
        path: match for path in folder.iterdir() if path.is_dir() and (match := CHECKPOINT.fullmatch(path.name))
    }
    if not checkpoints:
        raise InputError(f"{shown(folder)} holds no checkpoint: a training leaves folders like checkpoint-500 there.")
    steps, name = [], subject_name(replace(base, name=str(folder)))
    for path, match in checkpoints.items():
        tokenizer = None if has_vocabulary(path) else base.name
        spec = ModelSpec(str(path), tokenizer=tokenizer, window_tokens=base.window_tokens, stack=base.stack)
        steps.append(Subject(name, spec, layout, int(match[1])))
    return _in_order(steps, "keep one of them")


def _number_of(revision: str) -> int:
    match = STEP.search(revision)
    if match is None:
        raise InputError(
            f"The revision {shown(revision)} does not tell its step: give the numbers of all with --steps."
        )
    return int(match[1]) * (1000 if match[2] else 1)


def _in_order(steps: list[Subject], remedy: str) -> list[Subject]:
    steps.sort(key=lambda subject: subject.step or 0)
    for before, after in pairwise(steps):
        if before.step == after.step:
            raise InputError(f"Two of the steps are both step {after.step}: {remedy}.")
    return steps
