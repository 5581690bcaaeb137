"""The pooled tables of a run: the manifest has the SHA-256 of each; one that was edited is never replaced or deleted."""

from collections.abc import Collection, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from attn_core.errors import RunError
from attn_core.io.paths import shown
from attn_core.runs import folder as files


def read_tables(folder: Path, manifest: Mapping[str, Any]) -> dict[str, bytes]:
    """The files of the tables by name. Raises DamagedError where one is missing, or not what was written."""
    read = {}
    for name, digest in manifest.get("tables", {}).items():
        path = folder / files.TABLES / name
        data = path.read_bytes() if path.is_file() else None
        if data is None or sha256(data).hexdigest() != digest:
            wrong = "is not what was written: move it elsewhere" if path.exists() else "is missing"
            raise files.DamagedError(f"{shown(path)} {wrong}. The same command again makes the tables again.")
        read[name] = data
    return read


def edited(folder: Path, manifest: Mapping[str, Any], names: Collection[str] = ()) -> list[str]:
    """What is in place of tables, of the manifest or of these names, and is not what was written; links apart."""
    written = manifest.get("tables", {})
    places = {name: folder / files.TABLES / name for name in sorted({*written, *names})}
    there = {name: path for name, path in places.items() if path.exists() and not path.is_symlink()}
    return [
        name for name, path in there.items()
        if not path.is_file() or sha256(path.read_bytes()).hexdigest() != written.get(name)
    ]  # fmt: skip


def refuse_edited(folder: Path, manifest: Mapping[str, Any], names: Collection[str] = ()) -> None:
    """Raises RunError where a table would be replaced that somebody has edited."""
    if found := edited(folder, manifest, names):
        raise RunError(
            f"{', '.join(found)} in {shown(folder / files.TABLES)} is not what was written: move it elsewhere, and give the same "
            "command again."
        )


def replace_tables(folder: Path, manifest: Mapping[str, Any], tables: Mapping[str, bytes]) -> Mapping[str, Any]:
    """Write tables in place of those that the manifest has. Returns the manifest that has the new ones.

    Killed at any moment, what is there agrees with the manifest, or is missing.
    """
    refuse_edited(folder, manifest, tables)
    files.clear_way(folder / files.TABLES, folder)
    for name in manifest.get("tables", {}):
        (folder / files.TABLES / name).unlink(missing_ok=True)
    manifest = {**manifest, "tables": {name: sha256(data).hexdigest() for name, data in tables.items()}}
    files.write_file(folder / files.MANIFEST, files.to_json(manifest))
    for name, data in tables.items():
        files.write_file(folder / files.TABLES / name, data)
    return manifest
