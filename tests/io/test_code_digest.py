"""The digest of a program covers all that its modules import, and tells every change of them."""

import ast
from pathlib import Path

import pytest

from attn_core.io import code_digest
from attn_core.io.code_digest import PACKAGE, counting_digest, covered
from attn_core.runs.kinds import KINDS

MODULES = [str(file.relative_to(PACKAGE).with_suffix("")).replace("/", ".") for file in sorted(PACKAGE.rglob("*.py"))]


def imported(module: str) -> set[str]:
    """What Python's own parser finds."""
    tree = ast.parse((PACKAGE / f"{module.replace('.', '/')}.py").read_bytes())
    named = {
        (node.module.partition(".")[2], alias.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == PACKAGE.name
        for alias in node.names
    }
    return {
        next((one for one in (f"{home}.{name}".strip("."), home) if one in MODULES), "") for home, name in named
    } - {""}


def test_every_import_of_every_module_is_covered() -> None:
    for module in MODULES:
        source = (PACKAGE / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8")
        assert set(code_digest._imported(source)) == imported(module), module
    for kind in KINDS.values():
        beneath = [*kind.counting]
        for one in beneath:
            beneath += sorted(imported(one) - set(beneath))
        assert covered(kind.counting) == sorted(beneath)
        assert {"models.capture", "texts.passages"} <= set(beneath)


def test_a_module_that_is_not_there_is_refused() -> None:
    with pytest.raises(FileNotFoundError, match="moved_away"):
        counting_digest(("texts.moved_away",))


def test_another_number_in_a_module_that_is_imported_is_another_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code_digest, "PACKAGE", tmp_path)
    (tmp_path / "counts.py").write_text("from attn_core import (\n    near,  # ours\n)\n")
    digests = []
    for number in (2, 3, 2):
        (tmp_path / "near.py").write_text(f"NEAR = {number}\n")
        counting_digest.cache_clear()
        digests.append(counting_digest(("counts",)))
    counting_digest.cache_clear()
    assert digests[0] == digests[2] != digests[1]
