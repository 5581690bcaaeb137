"""The kinds of runs as pages know them, and where their folders are."""

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from attn_core.errors import InputError
from attn_core.io.paths import PROJECT, typed_path
from attn_core.runs.progress import WORKING, read_progress

ELSEWHERE = "A folder elsewhere on this machine"
SAMPLES = PROJECT / "attn_core"  # in whose rooms they are


@dataclass(frozen=True)
class Kind:
    """A kind of runs. folders: below which they are. label: of the choice of one.

    key, elsewhere: the widgets that choose one, as they stand in the address; elsewhere names a folder outside. example: of
    such a folder. command: what a page starts, empty where none does. place: the fold in which its page shows it.
    """

    name: str
    folders: str
    label: str
    key: str
    elsewhere: str
    example: str
    command: str = ""
    place: str = ""

    @property
    def root(self) -> Path:
        """The folder of its runs in the project, unless the environment names another: ATTN_CORE_STUDIES."""
        return Path(os.environ.get(f"ATTN_CORE_{self.folders.upper()}") or PROJECT / self.folders)

    @property
    def samples(self) -> Path:
        """What of it comes with the project."""
        return SAMPLES / self.name / "sample"

    def known(self) -> dict[str, Path]:
        """Its folders by name: those at work, then the latest, then what comes with the project."""
        here = [
            (at_work, -folder.stat().st_mtime, folder) for folder in self.root.glob("*") if (at_work := _rank(folder))
        ]
        samples = [path for path in sorted(self.samples.glob("*")) if path.is_dir()]
        return {folder.name: folder for folder in (*(folder for *_, folder in sorted(here)), *samples)}

    def at_work(self) -> list[str]:
        """The names of those on which a process of this machine works."""
        now = {folder.name: read_progress(folder) for folder in self.root.glob("*") if folder.is_dir()}
        return [name for name, one in now.items() if one and one.here and one.status in WORKING]


STUDY = Kind("study", "studies", "Study", "study", "study_folder", "/home/me/study", "study")
RELATIONS = Kind("study", "studies", "Study", "relations", "relations_folder", "/home/me/gum", place="relations")
ABLATION = Kind(
    "ablation", "ablations", "Removed over many texts", "ablation", "ablation_folder", "/home/me/ablations/novels",
    place="ablation",
)  # fmt: skip


def kind_of(folder: Path) -> Kind | None:
    """The kind that a page starts in the place where a folder is; None elsewhere, and for a link to another place."""
    if folder.is_symlink():
        return None
    return STUDY if folder.resolve().parent == STUDY.root.resolve() else None


def folder_named(path: str) -> Path | None:
    """The folder that a user typed, or None where it names none."""
    with suppress(InputError):
        folder = typed_path(path.strip())
        return folder if path.strip() and folder.is_dir() else None
    return None


def _rank(folder: Path) -> int:
    """1 for a run at work, 2 for another one, 0 for what is none."""
    if not folder.is_dir():
        return 0
    progress = read_progress(folder)
    return 0 if progress is None else 1 if progress.status in WORKING else 2
