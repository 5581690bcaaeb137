"""Studies on this machine: where they lie, and which of them can stand in place of the text."""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from attn_core.runs import folder as files
from attn_core.runs.progress import WORKING, Progress, read_progress
from attn_core.ui.choice import StudyChoice
from attn_core.ui.jobs.result_folders import folder_named, root
from attn_core.ui.widgets.address import chosen

OF_STUDY = "A text of a study"  # among the choices of a text
ELSEWHERE = "study_folder"  # the widget that names a folder outside the root


@dataclass(frozen=True)
class Listed:
    """A folder with a study in it."""

    folder: Path
    progress: Progress


def studies() -> list[Listed]:
    """The studies below the root, those at work first, then the latest."""
    listed = []
    for folder in root("studies").glob("*"):
        progress = read_progress(folder) if folder.is_dir() else None
        if progress:
            listed.append((progress.status not in WORKING, -folder.stat().st_mtime, folder, progress))
    return [Listed(folder, progress) for *_, folder, progress in sorted(listed, key=lambda one: one[:3])]


def finished() -> dict[str, StudyChoice]:
    """The studies that can stand in place of the text, by name: those below the root, and one opened elsewhere."""
    below = sorted(filter(None, map(_finished_in, root("studies").glob("*"))), key=lambda choice: -choice.made)
    choices = {choice.folder.name: choice for choice in below}
    elsewhere = folder_named(chosen(ELSEWHERE))
    if elsewhere and (choice := _finished_in(elsewhere)):
        choices[str(elsewhere) if elsewhere.name in choices else elsewhere.name] = choice
    return choices


def _finished_in(folder: Path) -> StudyChoice | None:
    with suppress(OSError):
        return StudyChoice(folder, (folder / files.TABLES / "heads.parquet").stat().st_mtime_ns)
    return None


def name_of(folder: Path) -> str | None:
    """Under which name a finished study can stand in place of the text, None where it cannot."""
    return next((name for name, choice in finished().items() if choice.folder == folder), None)
