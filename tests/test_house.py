"""The house: floors that import downwards only, no circles, and torch on one side of a border.

The graph is read from the sources, imports inside functions and for type checkers included: a circle is a circle whoever
walks it.
"""

import ast
import re
import subprocess
import sys
import tomllib
from graphlib import CycleError, TopologicalSorter
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
OPTIONAL = {
    "distributed",
    "transformer_lens",
    "playwright",
    "accelerate",
}  # their absence is told, or they come with torch
# Top to bottom. A room imports from its own floor and from those below.
FLOORS = (
    ("dashboard", "pages", "attn_core.__main__"),
    ("attn_core.ui",),
    (
        "attn_core.findings", "attn_core.verdicts", "attn_core.claim_examples",
        "attn_core.firmness", "attn_core.commands", "attn_core.comparison",
        "attn_core.features", "attn_core.benchmark",
    ),
    ("attn_core.series",),
    ("attn_core.study", "attn_core.patterns"),
    (
        "attn_core.charts", "attn_core.seen", "attn_core.analysis", "attn_core.unrelated", "attn_core.segment_benchmark",
        "attn_core.segment_scores", "attn_core.keywords",
        "attn_core.long_text", "attn_core.counted_tables", "attn_core.window_tables", "attn_core.effects",
    ),
    ("attn_core.segmentation",),
    ("attn_core.measures",),
    (
        "attn_core.model_hub",
        "attn_core.models",
        "attn_core.checks",
        "attn_core.capture",
        "attn_core.similarity",
        "attn_core.moments",
        "attn_core.strength",
    ),
    (
        "attn_core.similarity_measures",
        "attn_core.loaded_model", "attn_core.held_models", "attn_core.head_outputs", "attn_core.strong_pairs", "attn_core.words",
        "attn_core.controls", "attn_core.found", "attn_core.ranks",
    ),
    ("attn_core.passages", "attn_core.model_files", "attn_core.texts", "attn_core.languages", "attn_core.content_words"),
    (
        "attn_core.head", "attn_core.program", "attn_core.export", "attn_core.whole_files",
        "attn_core.errors", "attn_core.kept", "attn_core.markdown", "attn_core.paths", "attn_core.whole_numbers",
        "attn_core.batches", "attn_core.blocks", "attn_core.bootstrap", "attn_core.structureless", "attn_core",
    ),
)  # fmt: skip
TENSORS = {
    "attn_core.blocks", "attn_core.loaded_model", "attn_core.capture", "attn_core.checks", "attn_core.models",
    "attn_core.similarity", "attn_core.moments", "attn_core.strength", "attn_core.segmentation.sentences",
    "attn_core.comparison.match", "attn_core.patterns.word_maps",
    "attn_core.series.callback", "attn_core.benchmark.rounds", "attn_core.benchmark.text", "attn_core.benchmark.table",
}  # fmt: skip
# What must load where no tensor is needed: reading a table, drawing a chart, showing a text that was seen before, watching
# a study, parsing a command.
LIGHT = (
    "attn_core.__main__", "attn_core.commands", "attn_core.charts", "attn_core.findings", "attn_core.found",
    "attn_core.errors", "attn_core.paths", "attn_core.export", "attn_core.texts", "attn_core.languages",
    "attn_core.passages", "attn_core.model_files", "attn_core.strong_pairs", "attn_core.words", "attn_core.controls",
    "attn_core.kept", "attn_core.seen", "attn_core.head_outputs", "attn_core.similarity_measures", "attn_core.loaded_model",
    "attn_core.held_models",
    "attn_core.analysis",
    "attn_core.long_text", "attn_core.counted_tables", "attn_core.window_tables",
    "attn_core.study.corpus", "attn_core.study.errors", "attn_core.study.folder", "attn_core.study.job",
    "attn_core.study.opened", "attn_core.study.plan", "attn_core.study.counts", "attn_core.study.progress",
    "attn_core.study.settings", "attn_core.series.folder", "attn_core.series.gathered", "attn_core.series.opened",
    "attn_core.series.sources",
)  # fmt: skip


def sources() -> dict[str, Path]:
    """Every module of the project by its name."""
    files = [ROOT / "dashboard.py", *(ROOT / "pages").glob("*.py"), *(ROOT / "attn_core").rglob("*.py")]
    return {".".join(f.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): f for f in sorted(files)}


def imported(file: Path) -> set[str]:
    """The dotted names that a file imports, wherever in it."""
    names = set()
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def graph() -> dict[str, set[str]]:
    """Module -> the project's modules that it imports."""
    modules = sources()
    found = {}
    for module, file in modules.items():
        homes = {name if name in modules else name.rpartition(".")[0] for name in imported(file)}
        found[module] = homes & modules.keys() - {module}
    return found


def inside(module: str, room: str) -> bool:
    return module == room or (room != "attn_core" and module.startswith(f"{room}."))


def floor(module: str) -> int:
    for number, rooms in enumerate(FLOORS):
        if any(inside(module, room) for room in rooms):
            return number
    pytest.fail(f"{module} stands on no floor: give it one in FLOORS")


def test_no_module_imports_from_a_floor_above() -> None:
    upwards = [(module, above) for module, found in graph().items() for above in found if floor(above) < floor(module)]
    assert upwards == []


def test_no_imports_go_in_a_circle() -> None:
    try:
        TopologicalSorter(graph()).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_every_package_that_is_imported_is_a_declared_dependency() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*declared["dependencies"], *declared["optional-dependencies"]["dashboard"]]
    names = {re.split(r"[<>=]", line)[0].replace("_", "-").lower() for line in wanted}
    pinned = {line.split("==")[0].replace("_", "-").lower() for line in (ROOT / "requirements.txt").read_text().split()}
    packages = packages_distributions()
    for module, file in sources().items():
        for package in {name.split(".")[0] for name in imported(file)} - OPTIONAL:
            homes = {name.replace("_", "-").lower() for name in packages.get(package, [])}
            assert not homes or homes & names, f"{module} imports {package}, which nothing declares"
    assert names <= pinned


def test_tables_are_drawn_where_they_get_their_csv() -> None:
    """Streamlit's own button is hidden: it knows neither provenance nor what a spreadsheet would run."""
    drawn = [
        module
        for module, file in sources().items()
        if re.search(r"st\.(dataframe|table|data_editor)\(", file.read_text())
    ]
    assert drawn == ["attn_core.ui.show"]


def test_only_these_modules_know_of_torch() -> None:
    of_torch = {
        module
        for module, file in sources().items()
        if any(name.split(".")[0] in ("torch", "transformers") for name in imported(file))
    }
    assert of_torch == TENSORS


def test_what_needs_no_tensors_loads_without_torch() -> None:
    light = [module for module in sources() if any(inside(module, room) for room in LIGHT)]
    loaded = "[name for name in ('torch', 'transformers', 'streamlit') if name in sys.modules]"
    script = "import sys\n" + "".join(f"import {module}\nassert not {loaded}, '{module}'\n" for module in light)
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("modules", "worker", "aside"),
    [
        ("COUNTING", "attn_core.study.worker", {"measures", "segmentation"}),  # packages; segments are no count
        ("WEIGHING", "attn_core.segmentation.head_choice", {"kept", "segmentation"}),
        ("COUNTING_PATTERNS", "attn_core.patterns.worker", {"patterns", "patterns.job", "study.counts", "study.worker"}),
    ],
)  # fmt: skip
def test_the_digest_of_the_program_covers_what_a_worker_counts_with(modules: str, worker: str, aside: set[str]) -> None:
    """Records, checks and files aside, which change no number."""
    from attn_core import program

    covered = {
        ".".join(file.relative_to(program.PACKAGE.parent).with_suffix("").parts)
        for pattern in getattr(program, modules)
        for file in program.PACKAGE.glob(pattern)
    }
    aside = {"attn_core"} | {
        f"attn_core.{name}"
        for name in {
            "checks", "effects", "errors", "export",
                 "head", "head_outputs", "held_models", "loaded_model", "model_files", "paths",
            "program", "study", "bootstrap", "study.job", "study.opened", "study.settings", *aside,
        }
    }  # fmt: skip
    homes, reached, todo = graph(), set(), [worker]
    while todo:
        if (module := todo.pop()) not in reached:
            reached.add(module)
            todo += homes[module] if module in covered else ()
    assert worker in covered
    assert reached - covered - aside == set()
