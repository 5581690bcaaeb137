"""A report as a file: whole or not at all, and never in place of what is not a report as this program wrote it."""

import re
from hashlib import sha256
from pathlib import Path

from attn_core.errors import InputError
from attn_core.io.atomic_files import write_file
from attn_core.io.paths import shown

MARK = re.compile(rb"<!-- attn-core report, sha256 of what stands above: ([0-9a-f]{64}) -->\n\Z")


def marked(html: bytes) -> bytes:
    """A report with its own digest in its last line, by which it is known again."""
    return html + f"\n<!-- attn-core report, sha256 of what stands above: {sha256(html).hexdigest()} -->\n".encode()


def refuse_others(file: Path) -> None:
    """Raises InputError where a report must not be written: in place of a folder, or of a file that is none of ours as we
    wrote it."""
    if file.is_dir():
        raise InputError(f"{shown(file)} is a folder: name a file for the report, such as report.html.")
    if file.is_symlink() and not file.exists():
        raise InputError(f"{shown(file)} is a link that leads nowhere: name a file.")
    if file.is_file() and (data := file.read_bytes()) and not _is_ours(data):
        raise InputError(
            f"{shown(file)} is another file, or a report that was changed since, and is not overwritten: choose another name."
        )


def write_report(html: bytes, file: Path) -> None:
    """Write a report. Raises InputError as `refuse_others` does, OSError where it cannot be written."""
    refuse_others(file)
    file.parent.mkdir(parents=True, exist_ok=True)
    write_file(file, marked(html))


def _is_ours(data: bytes) -> bool:
    mark = MARK.search(data)
    return mark is not None and sha256(data[: mark.start() - 1]).hexdigest().encode() == mark[1]
