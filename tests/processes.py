"""Processes that need not import what takes seconds: forked from one that has, and that has done nothing else."""

import multiprocessing
import os
from collections.abc import Callable
from functools import cache
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from pathlib import Path

from attn_core.__main__ import main

PRELOADED = [
    "attn_core.study.runner",
    "attn_core.study.worker",
    "attn_core.commands.study",
    "transformers.models.bert.modeling_bert",
    "tests.processes",
]


@cache
def warm() -> BaseContext:
    """How to start them, where the machine forks; as on any other else."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    return context


def command(arguments: list[str], errors: Path, before: Callable[[], None] | None = None) -> BaseProcess:
    """The command line in a process of its own. errors: file of its standard error. before: called there first."""
    process = warm().Process(target=_run, args=(arguments, errors, before))  # type: ignore[attr-defined]
    process.start()
    return process


def _run(arguments: list[str], errors: Path, before: Callable[[], None] | None) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(os.open(errors, os.O_WRONLY | os.O_CREAT), 2)
    if before:
        before()
    raise SystemExit(main(arguments))
