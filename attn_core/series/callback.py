"""A look at a model while it trains: the statistics of a few texts every so many steps, as a series that grows.

    from attn_core import HeadStatisticsCallback

    trainer = Trainer(..., callbacks=[HeadStatisticsCallback(tokenizer, texts, Path("series/mine"))])

The training does not notice: weights, random numbers, and the mode of every module are as without it, to the bit. A look
takes a forward pass without gradients over the texts. Each process must hold the whole model; the first one looks.
"""

import copy
import logging
import time
from collections.abc import Sequence
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

from attn_core import given as check
from attn_core.analysis.measured_windows import measured
from attn_core.analysis.unrelated import Unrelated
from attn_core.errors import InputError
from attn_core.in_brief import InBrief
from attn_core.io.paths import called, shown
from attn_core.measures.roles import assign_roles
from attn_core.measures.window_counts import add_up, count_window
from attn_core.models.capture import capture
from attn_core.models.loading import lent
from attn_core.models.records import LoadedModel
from attn_core.runs import folder as files
from attn_core.runs.kinds import KINDS
from attn_core.runs.ownership import refuse_others
from attn_core.runs.run import agreed_manifest
from attn_core.series.folder import Facts, Step, facts_of, step_paths, write_step
from attn_core.series.opened import open_series
from attn_core.series.probe_ranks import rank_pairs, read_probe
from attn_core.similarity.strong_pairs import Settings
from attn_core.similarity.words import in_unit
from attn_core.tensors import transformers
from attn_core.texts.languages import AUTO
from attn_core.texts.passages import Layout

SHARE_OF_TIME = 0.02  # of the training, for all looks together
GROWTH = 1.1  # from one look to the next: on a log axis more would not be seen

_log = logging.getLogger(__name__)


class HeadStatisticsCallback(transformers.TrainerCallback, InBrief):
    """Writes a step of a series at the beginning of a training, every so many steps, and at its end.

    tokenizer: the model's, a fast one; it is copied. texts: two or more, of which the first window of at most `tokens`
    tokens counts; each is held against the next as an unrelated text. out: the folder of the series. every: steps from
    look to look; unless given, as often as 2 % of the time allows, the last look included, and no closer than a tenth of
    the steps so far. What goes wrong later than at the beginning is logged and costs a look, not the training.

    settings, layout, language: as of `analyze`. Raises InputError for texts that cannot be read and settings that are none,
    and, when the training begins, for a folder with another series.

    >>> attn_core.HeadStatisticsCallback(model.tokenizer, [text, text.replace("tide", "water")], "series/mine")
    HeadStatisticsCallback
      folder  series/mine
      texts   2
      looks   as often as 2 % of the time allows
    """

    def __init__(
        self,
        tokenizer: Any,
        texts: Sequence[str],
        out: str | Path,
        *,
        every: int | None = None,
        settings: Settings = Settings(),
        tokens: int = 128,
        layout: Layout = "plain",
        language: str = AUTO,
    ) -> None:
        if not getattr(tokenizer, "is_fast", False):
            raise InputError("The callback needs a fast tokenizer, which tells where its tokens stand in the text.")
        if isinstance(texts, str) or len(texts) < 2:
            raise InputError("The callback needs a list of two texts at least: each is held against another.")
        if every is not None:
            check.whole(every, 1, "The number of steps from look to look")
        check.a(Settings, settings, "What decides the strong pairs")
        self._tokenizer = copy.deepcopy(tokenizer)  # reading sets its truncation and its special tokens
        self._probes = [read_probe(text, self._tokenizer, tokens, layout, language) for text in texts]
        self._out, self._every, self._settings = Path(out), every, settings
        texts_read = sha256("\0".join(texts).encode()).hexdigest()
        self._manifest = {
            "texts": {"fingerprint": texts_read, "probes": len(texts), "tokens": tokens},
            "settings": {**asdict(settings), "layout": layout, "language": language},
        }
        self._start = self._spent = self._last_took = 0.0
        self._last_step = 0

    def brief(self) -> dict[str, object]:
        often = f"as often as {SHARE_OF_TIME:.0%} of the time allows".replace("%", " %")
        looks = often if self._every is None else f"every {self._every} steps"
        return {"folder": self._out, "texts": len(self._probes), "looks": looks}

    def on_train_begin(self, args: Any, state: Any, control: Any, **given: Any) -> None:  # noqa: ARG002
        """The first look, which raises what is wrong; steps of a training that was cut off later than here are dropped."""
        if not state.is_world_process_zero:
            return
        self._start, self._spent = time.perf_counter(), 0.0
        name = called(given["model"].config.name_or_path) or type(given["model"]).__name__
        self._out.mkdir(parents=True, exist_ok=True)
        if state.global_step == 0 and any(step_paths(self._out)):
            raise InputError(f"{shown(self._out)} holds a series already: choose a new folder for a new training.")
        refuse_others(self._out, KINDS["series"])
        agreed_manifest(self._out, KINDS["series"], {"model": name, **self._manifest})
        files.remove_folder(self._out / files.TABLES)
        for path in step_paths(self._out):
            facts = facts_of(path)
            if facts is None or facts.number > state.global_step:
                files.remove_folder(path)
        self._look(given["model"], state.global_step)

    def on_step_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:  # noqa: ARG002
        """A look where one is due."""
        if state.is_world_process_zero and self._is_due(state.global_step):
            self._try_to_look(given["model"], state.global_step)

    def on_train_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:  # noqa: ARG002
        """The last look, which drift is measured against, and the tables of them all."""
        if not state.is_world_process_zero:
            return
        if state.global_step > self._last_step:
            self._try_to_look(given["model"], state.global_step)
        try:
            files.write_folder(self._out / files.TABLES, open_series(self._out).files())
        except (InputError, OSError) as error:
            _log.warning("No tables of the series in %s: %s", self._out, error)

    def _is_due(self, step: int) -> bool:
        if self._every is not None:
            return step % self._every == 0
        elapsed = time.perf_counter() - self._start
        return step >= GROWTH * self._last_step and self._spent + 2 * self._last_took <= SHARE_OF_TIME * elapsed

    def _try_to_look(self, network: Any, step: int) -> None:
        try:
            self._look(network, step)
        except Exception as error:  # memory, disk, whatever it is: nothing here is worth a training
            self._last_step = step
            _log.warning("No head statistics of step %d: %s", step, error)

    def _look(self, network: Any, step: int) -> None:
        begin = time.perf_counter()
        with lent(network, self._tokenizer, "The model in training") as model:
            tables = self._read(model)
        self._last_took = time.perf_counter() - begin
        self._spent += self._last_took
        self._last_step = step
        name = f"step {step}"
        tokenizer = called(self._tokenizer.name_or_path)
        facts = Facts(step, name, "in training", tokenizer, self._last_took, time.perf_counter() - self._start)
        write_step(self._out, Step(facts, *tables))

    def _read(self, model: LoadedModel) -> Any:
        """Heads, layers and ranks of a step."""
        read = zip(self._probes, capture(model, self._probes), strict=True)
        probes = [in_unit(self._settings.unit, *probe) for probe in read]
        texts = [Unrelated(passage, output.z) for passage, output in probes]
        windows = [
            measured(*probe, self._settings, [other])
            for probe, other in zip(probes, [*texts[1:], texts[0]], strict=True)
        ]
        counted = add_up(map(count_window, windows))
        heads = counted.heads
        heads = heads.join(assign_roles(heads))
        return heads, counted.layers(heads), rank_pairs(probes, self._settings)
