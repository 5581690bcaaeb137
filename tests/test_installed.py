"""The wheel alone, installed in a folder of its own, used from another folder with an empty home."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pandas as pd
import pytest

import attn_core
from tests.families import TEXT

ROOT = Path(__file__).parents[1]
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "--quiet"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built without a network: hatchling is one of the development requirements."""
    folder = tmp_path_factory.mktemp("wheel")
    build = ["wheel", "--no-index", "--no-deps", "--no-build-isolation", "--no-cache-dir", "--wheel-dir", str(folder)]
    subprocess.run([*PIP, *build, str(ROOT)], check=True)
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def installed(wheel: Path) -> Path:
    """Where the wheel lies installed; its requirements are those of the environment that runs the tests."""
    folder = wheel.parent / "installed"
    subprocess.run([*PIP, "install", "--no-index", "--no-deps", "--target", str(folder), str(wheel)], check=True)
    return folder


@pytest.fixture
def elsewhere(installed: Path, tmp_path: Path) -> dict[str, str]:
    """The environment of someone who has the wheel and nothing else of ours."""
    home = tmp_path / "home"
    home.mkdir()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "XDG_"))}
    return kept | {"HOME": str(home), "USERPROFILE": str(home), "PYTHONPATH": str(installed), "OMP_NUM_THREADS": "1"}


def test_the_wheel_holds_the_package_and_nothing_of_the_workshop(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    packed = {name for name in names if ".dist-info/" not in name}
    here = [file for file in (ROOT / "attn_core").rglob("*") if file.is_file() and "__pycache__" not in file.parts]
    samples = {f"attn_core/sample_texts/{file.name}" for file in (ROOT / "sample_texts").iterdir()}
    assert packed == {file.relative_to(ROOT).as_posix() for file in here} | samples
    for study in ("from-noise", "minilm-on-sample-texts"):
        assert f"attn_core/study/sample/{study}/tables/claims.parquet" in packed
    assert wheel.name.split("-")[:2] == ["attn_core", attn_core.__version__]


@pytest.mark.long
def test_the_installed_package_has_its_command_the_sample_texts_and_analyses_a_text_from_any_folder(
    installed: Path, elsewhere: dict[str, str], tmp_path: Path
) -> None:
    def said(*command: object) -> str:
        return subprocess.run(command, cwd=tmp_path, env=elsewhere, check=True, capture_output=True, text=True).stdout

    (tmp_path / "harbour.txt").write_text(TEXT, encoding="utf-8")
    (command,) = (installed / ("Scripts" if sys.platform == "win32" else "bin")).glob("attn-core*")
    assert "tables in tables" in said(command, "analyze", "harbour.txt", "--out", "tables")
    assert len(pd.read_parquet(tmp_path / "tables" / "heads.parquet")) == 72
    assert (tmp_path / "tables" / "segments.csv").exists()
    of_samples = "from attn_core.texts import documents as d; print(d.__file__, *(s.text for s in d.samples()))"
    assert said(sys.executable, "-c", of_samples).startswith(str(installed))
