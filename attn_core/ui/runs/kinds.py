"""Where the folders of runs are, and which of them are at work."""

import os
from contextlib import suppress
from pathlib import Path

from attn_core.errors import InputError
from attn_core.io.paths import PROJECT, typed_path
from attn_core.runs.folder import KINDS, Kind
from attn_core.runs.progress import read_progress

SAMPLES = PROJECT / "attn_core"  # in whose rooms they are
FIRST = "minilm-on-sample-texts"  # of them
STUDY, ABLATION = KINDS["study"], KINDS["ablation"]


def root_of(kind: Kind) -> Path:
    """The folder of its runs in the project, unless the environment names another: ATTN_CORE_STUDIES, ATTN_CORE_ABLATIONS."""
    return Path(os.environ.get(f"ATTN_CORE_{kind.folders.upper()}") or PROJECT / kind.folders)


def known(kind: Kind) -> dict[str, Path]:
    """Its folders by name: those at work, then the latest, then what comes with the project."""
    begun = {folder: read_progress(folder) for folder in root_of(kind).glob("*") if folder.is_dir()}
    here = sorted((not now.at_work, -folder.stat().st_mtime, folder) for folder, now in begun.items() if now)
    samples = sorted(
        (path for path in (SAMPLES / kind.name / "sample").glob("*") if path.is_dir()),
        key=lambda path: (path.name != FIRST, path),
    )
    return {folder.name: folder for folder in (*(folder for *_, folder in here), *samples)}


def at_work(kind: Kind) -> list[str]:
    """The names of those on which a process works."""
    return [name for name, folder in known(kind).items() if (now := read_progress(folder)) and now.at_work]


def is_of_dashboard(folder: Path) -> bool:
    """Whether a folder lies among the runs of this dashboard; a link to one elsewhere does not."""
    return folder.resolve().parent in [root_of(kind).resolve() for kind in KINDS.values()]


def folder_named(path: str) -> Path | None:
    """The folder that a user typed, or None where it names none."""
    with suppress(InputError):
        folder = typed_path(path.strip())
        return folder if path.strip() and folder.is_dir() else None
    return None
