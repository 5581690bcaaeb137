"""Which program counted: a digest of the modules with which something is counted, and of all that they import."""

import ast
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from threading import Lock

import attn_core

PACKAGE = Path(attn_core.__file__).parent
_PARSES = Lock()  # where two threads parse at once, Python 3.11 loses count of its depth and raises SystemError


@cache
def counting_digest(modules: Sequence[str]) -> str:
    """SHA-256 of modules, given by their names in the package, and of those that they import, directly or not.

    Comments, docstrings and layout make no difference. Raises FileNotFoundError for a module that is not there: a digest
    would miss what was moved.
    """
    digest = sha256()
    for name, tree in sorted(_closure(modules).items()):
        digest.update(name.encode() + b"\0" + _meaning(tree))
    return digest.hexdigest()


def covered(modules: Sequence[str]) -> list[str]:
    """The names of these modules and of those that they import, directly or not."""
    return sorted(_closure(modules))


def _closure(modules: Sequence[str]) -> dict[str, ast.Module]:
    trees, todo = dict[str, ast.Module](), list(modules)
    while todo:
        if (name := todo.pop()) not in trees:
            with _PARSES:
                trees[name] = ast.parse((PACKAGE / f"{name.replace('.', '/')}.py").read_bytes())
            todo += _imported(trees[name])
    return trees


def _imported(tree: ast.Module) -> Iterator[str]:
    """The modules of the package that a module imports, wherever in it. A package itself holds nothing but its docstring."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == PACKAGE.name:
            home = (node.module or "").removeprefix(PACKAGE.name).removeprefix(".")
            for name in (f"{home}.{alias.name}".removeprefix(".") for alias in node.names):
                found = (one for one in (name, home) if (PACKAGE / f"{one.replace('.', '/')}.py").is_file())
                yield from list(found)[:1]


def _meaning(tree: ast.Module) -> bytes:
    """A module without its comments and docstrings."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:]
    return ast.dump(tree).encode()
