"""Layers that import downwards only, no circles, and torch in a few modules.

The graph is read from the sources, imports inside functions and for type checkers included.
"""

import ast
import inspect
import re
import tomllib
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from importlib.metadata import packages_distributions
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# Their absence is told, or they come with torch.
OPTIONAL = {"distributed", "transformer_lens", "playwright", "accelerate"}
PROJECT = tomllib.loads((ROOT / "attn_core" / "layers.toml").read_text())
LAYERS: list[list[str]] = PROJECT["layers"]  # top to bottom
TENSORS = set(PROJECT["tensors"])


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
    imports = {}
    for module, file in modules.items():
        homes = {name if name in modules else name.rpartition(".")[0] for name in imported(file)}
        imports[module] = homes & modules.keys() - {module}
    return imports


def layer(module: str) -> int:
    """The layer of a module or of its package; attn_core itself has no loose modules, nor has ui."""
    of_package = {package: number for number, packages in enumerate(LAYERS) for package in packages}
    for package in (module, module.rpartition(".")[0]):
        if package in of_package and (package == module or package not in ("attn_core", "attn_core.ui")):
            return of_package[package]
    pytest.fail(f"{module} is in no layer: give it a package of attn_core/layers.toml")


def test_no_module_imports_from_a_layer_above() -> None:
    upwards = [(module, above) for module, below in graph().items() for above in below if layer(above) < layer(module)]
    assert upwards == []


def test_every_package_is_there_and_says_what_it_is_for() -> None:
    files = sources()
    for package in chain.from_iterable(LAYERS):
        assert package == "pages" or ast.get_docstring(ast.parse(files[package].read_text())), package


def test_no_package_or_module_at_the_top_hides_a_function_of_the_package() -> None:
    import attn_core

    assert {module.split(".")[1] for module in sources() if "." in module} & {*attn_core.__all__} == set()


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
    assert drawn == ["attn_core.ui.widgets.show"]


def test_pages_draw_figures_of_the_catalogue_alone() -> None:
    """What a page imports from the charts is no function that makes one."""
    made = []
    for module, file in sources().items():
        if module.startswith(("pages.", "attn_core.ui", "attn_core.report")):
            for name in imported(file):
                home, _, thing = name.rpartition(".")
                if home.startswith("attn_core.charts.") and home != "attn_core.charts.catalogue":
                    found = getattr(import_module(home), thing)
                    if inspect.isfunction(found) and "Chart" in str(inspect.signature(found).return_annotation):
                        made.append((module, name))
    assert made == []
    drawn = [
        module for module, file in sources().items() if re.search(r"st\.(altair|vega_lite)_chart\(", file.read_text())
    ]
    assert drawn == ["attn_core.ui.widgets.figures"]


def test_only_these_modules_know_of_torch() -> None:
    by_module = {module: imported(file) for module, file in sources().items()}
    heavy = {module: {name.split(".")[0] for name in names} for module, names in by_module.items()}
    assert [module for module, names in heavy.items() if names & {"torch", "transformers"}] == ["attn_core.tensors"]
    heavy_modules = {
        module
        for module, names in by_module.items()
        if any(f"{name}.".startswith("attn_core.tensors.") for name in names)
    }
    assert heavy_modules == TENSORS
