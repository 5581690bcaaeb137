"""Percents are written one way, "12%", in all that the program shows: in its sentences and in the tables' own words."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ANOTHER_WAY = re.compile(r"[\d}]\s%(?!\()")
FILES = [*sorted((ROOT / "attn_core").rglob("*.py")), *sorted((ROOT / "pages").glob("*.py"))]


def strings(code: str) -> list[str]:
    """What a file can show: its strings, those of formats as they stand in the code; no docstring."""
    tree = ast.parse(code)
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    docstrings = {id(node.body[0].value) for node in ast.walk(tree)
                  if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)}  # fmt: skip
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            found.append("".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            found.append(node.value)
    return found


@pytest.mark.parametrize("room", sorted({path.relative_to(ROOT).parts[:-1] for path in FILES}), ids="/".join)
def test_a_percent_sign_follows_its_number_at_once(room: tuple[str, ...]) -> None:
    files = [path for path in FILES if path.relative_to(ROOT).parts[:-1] == room]
    assert not {
        (path.name, text) for path in files for text in strings(path.read_text("utf-8")) if ANOTHER_WAY.search(text)
    }


def test_so_it_does_in_what_columns_and_terms_mean() -> None:
    assert not ANOTHER_WAY.search((ROOT / "attn_core" / "columns" / "columns.toml").read_text("utf-8"))
