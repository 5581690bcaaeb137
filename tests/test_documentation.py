"""What README.md and docs/ say can be done: their commands parse, their links lead somewhere, their examples run."""

import argparse
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from attn_core.__main__ import _parser
from attn_core.models.files import ModelSpec
from attn_core.study.subjects import from_checkpoints
from tests.quick import quick_only

ROOT = Path(__file__).parents[1]
DOCUMENTS = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
LINK = re.compile(r"\]\(([^)\s]+)\)")
COMMAND = "python -m attn_core "


def blocks(document: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", document.read_text("utf-8"), re.MULTILINE | re.DOTALL)


def commands() -> list[str]:
    lines = [line for document in DOCUMENTS for block in blocks(document, "sh") for line in block.splitlines()]
    return sorted({line for line in lines if line.startswith(COMMAND)})


def anchors(document: Path) -> set[str]:
    """Where a link may lead in a document: its headings as GitHub writes them."""
    headings = re.findall(r"^#+ (.+)$", document.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_command_is_one_that_the_command_line_takes() -> None:
    parser = _parser()
    for line in commands():
        parser.parse_args(shlex.split(line.removeprefix(COMMAND), comments=True))


def test_the_readme_names_every_command() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    (choices,) = (action.choices for action in _parser()._actions if action.choices)
    assert [name for name in choices if f"{COMMAND}{name}" not in readme] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_every_link_leads_somewhere(document: Path) -> None:
    lost = []
    for link in LINK.findall(document.read_text("utf-8")):
        path, _, heading = link.partition("#")
        target = document.parent / path if path else document
        if "://" not in link and not (target.exists() and (not heading or heading in anchors(target))):
            lost.append(link)
    assert lost == []


@pytest.mark.slow
@pytest.mark.model
@pytest.mark.parametrize("document", quick_only(["README.md", "docs/guide.md"], "README.md"))
def test_the_examples_in_python_run(document: str, capsys: pytest.CaptureFixture[str]) -> None:
    examples = blocks(ROOT / document, "python")
    assert examples
    for block in examples:
        exec(compile(block, document, "exec"), {})  # the project's own words
    assert "mean_distance" in capsys.readouterr().out


@pytest.mark.long
@pytest.mark.model
def test_the_example_runs_from_the_root_as_it_stands_and_saves_its_tables_and_charts(tmp_path: Path) -> None:
    command = [sys.executable, "docs/example.py", str(tmp_path / "out")]
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    saved = {file.name for file in (tmp_path / "out").iterdir()}
    assert {"heads.csv", "heads.parquet", "provenance.json", "map-of-heads.html", "claims.svg"} <= saved


def test_the_documents_name_every_option_of_every_command() -> None:
    told = "\n".join((ROOT / file).read_text("utf-8") for file in ("README.md", "docs/guide.md"))
    named = set(re.findall(r"--[a-z][a-z-]*", told))
    subcommands = next(one for one in _parser()._actions if isinstance(one, argparse._SubParsersAction))
    for command, parser in subcommands.choices.items():
        options = {name for one in parser._actions for name in one.option_strings if name.startswith("--")}
        assert options <= named, command


@pytest.mark.long
def test_a_model_is_trained_from_nothing_and_goes_on_where_it_was_cut_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On made-up books; the second time the last checkpoint is gone, as if the first had been killed before it."""
    words, out = (ROOT / "README.md").read_text("utf-8").split(), tmp_path / "out"
    (tmp_path / "books").mkdir()
    for book in range(42):
        lines = np.random.default_rng(book).choice(words, (500, 10))
        (tmp_path / "books" / f"{book}.txt").write_text("\n".join(map(" ".join, lines)), encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["pretrain.py", str(tmp_path / "books"), str(out), "--steps", "9"])
    runpy.run_path(str(ROOT / "docs" / "pretrain.py"))
    whole = pd.read_csv(out / "loss.csv").set_index("step")["loss"]
    shutil.rmtree(out / "checkpoint-9")
    runpy.run_path(str(ROOT / "docs" / "pretrain.py"))
    again = pd.read_csv(out / "loss.csv").set_index("step")["loss"]
    assert whole.index.tolist() == [0, 8, 9] and again[9] == pytest.approx(whole[9], abs=0.1)  # other masks
    assert "\n1 steps, " in capsys.readouterr().out
    assert [subject.step for subject in from_checkpoints(out, ModelSpec())] == [0, 8, 9]
    assert len(list((out / "aside").iterdir())) == 40


@pytest.mark.long
@pytest.mark.model
def test_the_benchmark_prints_a_row_of_every_way(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of a network of two layers, in one round."""
    shape = {"num_hidden_layers": 2, "num_attention_heads": 4, "hidden_size": 64, "intermediate_size": 128}
    main = runpy.run_path(str(ROOT / "docs" / "benchmark.py"))["main"]
    monkeypatch.setitem(main.__globals__, "BERT_BASE", shape)
    main(["--only", "text", "--rounds", "1"])
    rows = [line.strip("| ").split(" | ") for line in capsys.readouterr().out.splitlines() if line.startswith("| ")][1:]
    named = ("one text", "whole analysis of 8 heads", "stable roles", "similarity scores", "sources", "every setting")
    assert [row[0].startswith(name) for row, name in zip(rows, named, strict=True)] == [True] * 6
