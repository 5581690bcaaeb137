"""A look during training: what it writes, and that the training comes out the same to the bit."""

import errno
import random
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from attn_core.analysis.one_text import analyze
from attn_core.errors import InputError
from attn_core.runs import folder as files
from attn_core.series import callback
from attn_core.series.callback import HeadStatisticsCallback
from attn_core.series.folder import read_step, step_path
from attn_core.series.opened import open_series
from attn_core.similarity.strong_pairs import Settings
from tests.families import TEXT, Folder

TEXTS = [TEXT[:120], TEXT[120:]]


def state(step: int) -> SimpleNamespace:
    return SimpleNamespace(global_step=step, is_world_process_zero=True)


def train(folder: Path, steps: int, looks: HeadStatisticsCallback | None = None) -> Any:
    """A training with dropout, its own random numbers and one module that stays in evaluation; returns the network."""
    torch.manual_seed(3)
    network = AutoModel.from_pretrained(folder)
    network.train()
    next(module for module in network.modules() if isinstance(module, torch.nn.LayerNorm | torch.nn.Embedding)).eval()
    reads = network.get_encoder() if hasattr(network, "decoder") else network
    optimizer = torch.optim.SGD(network.parameters(), lr=0.01)
    if looks:
        looks.on_train_begin(None, state(0), None, model=network)
    for step in range(1, steps + 1):
        ids = torch.randint(5, 200, (2, 12))
        reads(input_ids=ids).last_hidden_state.pow(2).mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        if looks:
            looks.on_step_end(None, state(step), None, model=network)
    if looks:
        looks.on_train_end(None, state(steps), None, model=network)
    return network


def watch(folder: Path, out: Path, **options: Any) -> HeadStatisticsCallback:
    return HeadStatisticsCallback(AutoTokenizer.from_pretrained(folder), TEXTS, out, **options)


@pytest.mark.parametrize("family", ["bert", "gpt2", "deberta-v2", "modernbert", "t5"])
def test_a_training_comes_out_the_same_to_the_bit(family: str, tiny_folder: Folder, tmp_path: Path) -> None:
    folder = tiny_folder(family)
    alone = train(folder, 3)
    drawn, of_python, of_numpy = torch.get_rng_state(), random.getstate(), np.random.get_state()[1].tolist()
    watched = train(folder, 3, watch(folder, tmp_path / "out", every=1))
    assert torch.equal(torch.get_rng_state(), drawn)
    assert (random.getstate(), np.random.get_state()[1].tolist()) == (of_python, of_numpy)
    weights = zip(alone.state_dict().items(), watched.state_dict().items(), strict=True)
    assert [name for (name, a), (_, b) in weights if not torch.equal(a, b)] == []
    assert [module.training for module in watched.modules()] == [module.training for module in alone.modules()]
    assert watched.config._attn_implementation == alone.config._attn_implementation
    assert not any(module._forward_pre_hooks for module in watched.modules())
    assert open_series(tmp_path / "out").numbers == [0, 1, 2, 3]


@pytest.mark.parametrize("unit", ["tokens", "words"])
def test_a_look_counts_what_an_analysis_counts(unit: Any, tiny_folder: Folder, tmp_path: Path) -> None:
    folder, settings = tiny_folder("bert"), Settings(unit=unit)
    network = train(folder, 2, watch(folder, tmp_path / "out", every=2, settings=settings))
    network.save_pretrained(tmp_path / "saved")
    for file in folder.glob("tokenizer*"):
        shutil.copy(file, tmp_path / "saved")
    series = open_series(tmp_path / "out")
    heads = series.tables["heads"].query("step == 2").reset_index(drop=True)
    wanted = [analyze(text, str(tmp_path / "saved"), settings).statistics for text in TEXTS]
    strong = [one["pairs"].iloc[0] for one in wanted]
    pooled = sum(one["mean_distance"] * share for one, share in zip(wanted, strong, strict=True)) / sum(strong)
    pd.testing.assert_series_equal(heads["mean_distance"], pooled, check_names=False)
    assert (series.tables["drift"].query("step == 2")["drift"] == 0).all()
    assert (series.tables["drift"].query("step == 0")["drift"] > 0).all()
    assert series.tables["steps"]["training_seconds"].is_monotonic_increasing


def test_without_an_interval_looks_take_2_percent_of_the_time(
    tiny_folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a clock of which a step takes 0.1 s and a look, told from its two calls around the work, 0.3 s."""
    now = [0.0]
    monkeypatch.setattr(callback.time, "perf_counter", lambda: now[0])
    looks = watch(tiny_folder("bert"), tmp_path / "out")

    def read(self, _model):
        now[0] += 0.3
        return empty

    looks.on_train_begin(None, state(0), None, model=(network := AutoModel.from_pretrained(tiny_folder("bert"))))
    first = read_step(step_path(tmp_path / "out", 0))
    empty = first.heads, first.layers, first.ranks
    monkeypatch.setattr(HeadStatisticsCallback, "_read", read)
    looks._last_took = looks._spent = 0.3
    for step in range(1, 2001):
        now[0] += 0.1
        looks.on_step_end(None, state(step), None, model=network)
    looks.on_train_end(None, state(2000), None, model=network)
    taken = open_series(tmp_path / "out").numbers
    assert taken[0] == 0 and taken[-1] == 2000 and len(taken) > 10
    assert 0.3 * len(taken) <= 0.02 * now[0]
    assert all(after >= 1.1 * before for before, after in zip(taken[1:-2], taken[2:-1], strict=True))


def test_a_training_that_goes_on_drops_what_came_after(tiny_folder: Folder, tmp_path: Path) -> None:
    folder, out = tiny_folder("bert"), tmp_path / "out"
    network = train(folder, 3, watch(folder, out, every=1))
    watch(folder, out, every=1).on_train_begin(None, state(1), None, model=network)
    assert open_series(out).numbers == [0, 1]
    with pytest.raises(InputError, match="holds a series already"):
        watch(folder, out).on_train_begin(None, state(0), None, model=network)
    with pytest.raises(InputError, match="another setting: "):
        watch(folder, out, settings=Settings("cosine")).on_train_begin(None, state(1), None, model=network)


def test_what_goes_wrong_later_costs_a_look_and_not_the_training(
    tiny_folder: Folder, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    looks = watch(tiny_folder("bert"), tmp_path / "out", every=1)
    network = AutoModel.from_pretrained(tiny_folder("bert"))
    looks.on_train_begin(None, state(0), None, model=network)
    with torch.no_grad():
        next(network.encoder.parameters()).fill_(float("nan"))
    looks.on_step_end(None, state(1), None, model=network.train())
    assert "No head statistics of step 1: The outputs of" in caplog.text
    assert network.training
    assert open_series(tmp_path / "out").numbers == [0]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"texts": TEXTS[:1]}, "two texts at least"),
        ({"texts": ["?!", TEXT]}, "no word in this text"),
        ({"texts": ["The tide rose.", TEXT]}, "needs 16 tokens at least"),
        ({"every": 0}, "whole number from 1 on, not 0"),
        ({"tokens": 300}, "at most 256 tokens"),
        ({"tokenizer": object()}, "fast tokenizer"),
    ],
)
def test_what_cannot_be_watched_is_refused_before_the_training(
    options: dict[str, Any], says: str, tiny_folder: Folder, tmp_path: Path
) -> None:
    usual = {"tokenizer": AutoTokenizer.from_pretrained(tiny_folder("bert")), "texts": TEXTS, "out": tmp_path / "out"}
    with pytest.raises(InputError, match=says):
        HeadStatisticsCallback(**(usual | options))


def test_with_the_trainer_of_transformers(tiny_folder: Folder, tmp_path: Path) -> None:
    pytest.importorskip("accelerate", reason="the Trainer needs it")
    from transformers import BertForMaskedLM, DataCollatorForLanguageModeling, Trainer, TrainingArguments, set_seed

    folder = tiny_folder("bert")
    tokenizer = AutoTokenizer.from_pretrained(folder)
    rows = [tokenizer(text, truncation=True, max_length=48, padding="max_length") for text in 4 * TEXTS]

    def weights(callbacks: list[HeadStatisticsCallback]) -> dict[str, torch.Tensor]:
        set_seed(0)
        network = BertForMaskedLM.from_pretrained(folder)
        arguments = TrainingArguments(
            str(tmp_path / "run"), max_steps=3, per_device_train_batch_size=2, save_strategy="no", report_to=[],
            use_cpu=True, disable_tqdm=True,
        )  # fmt: skip
        collate = DataCollatorForLanguageModeling(tokenizer)
        Trainer(network, arguments, collate, rows, callbacks=callbacks).train()
        return network.state_dict()

    alone, watched = weights([]), weights([watch(folder, tmp_path / "out", every=2)])
    assert [name for name in alone if not torch.equal(alone[name], watched[name])] == []
    assert open_series(tmp_path / "out").numbers == [0, 2, 3]


def test_no_fault_at_all_ends_a_training(
    tiny_folder: Folder, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = watch(tiny_folder("bert"), tmp_path / "out", every=1)
    network = AutoModel.from_pretrained(tiny_folder("bert"))
    looks.on_train_begin(None, state(0), None, model=network)

    def fail(*_given: object) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory.")

    def full(*_given: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(looks, "_look", fail)
    monkeypatch.setattr(files, "write_folder", full)
    looks.on_step_end(None, state(1), None, model=network)
    looks.on_train_end(None, state(2), None, model=network)
    assert "No head statistics of step 1: CUDA out of memory." in caplog.text
    assert "No tables of the series" in caplog.text
