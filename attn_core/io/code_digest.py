"""Which program counted: a digest of the modules with which something is counted, and of all that they import."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path

import attn_core

PACKAGE = Path(attn_core.__file__).parent
# To parse all modules would take a fifth of a second of every start, and of every worker's.
_IMPORT = re.compile(rf"^\s*from {PACKAGE.name}\.?([\w.]*) import (\([^)]*\)|.*)", re.MULTILINE)
_NOTE = re.compile(r"#.*")


@cache
def counting_digest(modules: Sequence[str]) -> str:
    """SHA-256 of modules, given by their names in the package, and of those that they import, directly or not.

    Raises FileNotFoundError for a module that is not there: a digest would miss what was moved.
    """
    digest = sha256()
    for name, source in sorted(_closure(modules).items()):
        digest.update(f"{name}\0{source}\0".encode())
    return digest.hexdigest()


def covered(modules: Sequence[str]) -> list[str]:
    """The names of these modules and of those that they import, directly or not."""
    return sorted(_closure(modules))


def _closure(modules: Sequence[str]) -> dict[str, str]:
    sources, todo = dict[str, str](), list(modules)
    while todo:
        if (name := todo.pop()) not in sources:
            sources[name] = (PACKAGE / f"{name.replace('.', '/')}.py").read_text(encoding="utf-8")
            todo += _imported(sources[name])
    return sources


def _imported(source: str) -> Iterator[str]:
    """The modules of the package that a module imports, wherever in it. A package itself holds nothing but its docstring."""
    for home, names in _IMPORT.findall(source):
        for name in re.findall(r"(\w+)(?: as \w+)?", _NOTE.sub("", names)):
            found = (one for one in (f"{home}.{name}".removeprefix("."), home) if _is_module(one))
            yield from list(found)[:1]


def _is_module(name: str) -> bool:
    return bool(name) and (PACKAGE / f"{name.replace('.', '/')}.py").is_file()
