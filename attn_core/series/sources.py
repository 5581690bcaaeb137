"""Which steps a series has, and where the weights of each lie."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from attn_core.errors import InputError
from attn_core.io.paths import shown
from attn_core.models.files import ModelSpec, has_vocabulary, locate, readable_weights, revision_of

CHECKPOINT = re.compile(r"checkpoint-(\d+)")
STEP = re.compile(r"(?<!\d)(\d{1,12})(k?)(?=\D*$)", re.IGNORECASE)  # the last number: step143000, step_20k
MOST = 10**8


@dataclass(frozen=True)
class Source:
    """A step: its number, how it is called, and the model that it was."""

    number: int
    name: str
    spec: ModelSpec

    def revision(self) -> str:
        """What identifies its weights. Raises ModelError where they are not here or cannot be read."""
        folder = locate(self.spec)
        return revision_of(self.spec, folder, readable_weights(self.spec, folder))


def from_revisions(
    model: str | ModelSpec, revisions: Sequence[str], numbers: Sequence[int] | None = None
) -> list[Source]:
    """Steps from the revisions of a hub model, their numbers from the names unless they are given.

    model: its id, or its spec where other than the usual windows are read.

    Raises InputError where a name tells no number, or two the same.
    """
    if numbers is not None and len(numbers) != len(revisions):
        raise InputError(f"There are {len(numbers)} steps for {len(revisions)} revisions: give one for each.")
    spec = ModelSpec(model) if isinstance(model, str) else model
    told = [_number_of(revision) for revision in revisions] if numbers is None else numbers
    return _in_order(
        [Source(n, name, replace(spec, revision=name)) for n, name in zip(told, revisions, strict=True)],
        "give each its step with --steps",
    )


def from_checkpoints(folder: Path, base: ModelSpec) -> list[Source]:
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
    sources = []
    for path, match in checkpoints.items():
        tokenizer = None if has_vocabulary(path) else base.name
        spec = ModelSpec(str(path), tokenizer=tokenizer, window_tokens=base.window_tokens, stack=base.stack)
        sources.append(Source(int(match[1]), path.name, spec))
    return _in_order(sources, "keep one of them")


def _number_of(revision: str) -> int:
    match = STEP.search(revision)
    if match is None:
        raise InputError(
            f"The revision {shown(revision)} does not tell its step: give the numbers of all with --steps."
        )
    return int(match[1]) * (1000 if match[2] else 1)


def _in_order(sources: list[Source], remedy: str) -> list[Source]:
    sources.sort(key=lambda source: source.number)
    for before, after in zip(sources, sources[1:], strict=False):
        if before.number == after.number:
            raise InputError(f"{before.name} and {after.name} are both step {after.number}: {remedy}.")
    if sources[-1].number >= MOST:
        raise InputError(f"{sources[-1].name} is step {sources[-1].number:,}, and a step has at most eight digits.")
    return sources
