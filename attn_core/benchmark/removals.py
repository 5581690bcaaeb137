"""What removing heads costs: the importance of all of them, its estimate, and one click, beside the forward passes they take."""

from collections.abc import Iterator
from functools import partial

from attn_core.benchmark.rounds import Row, passages_of, times
from attn_core.head import Head, every_head
from attn_core.interventions.effects import BATCH_TOKENS, effects_of
from attn_core.interventions.importance import estimated_importance, measured_importance
from attn_core.models.capture import last_states
from attn_core.models.files import ModelSpec
from attn_core.models.intervened import intervened
from attn_core.models.intervention import BY_MEAN
from attn_core.models.loading import model_of
from attn_core.models.records import LoadedModel
from attn_core.texts.documents import samples
from attn_core.texts.passages import Passage

WINDOWS = 20
ROUNDS = 2  # each takes a model hundreds of times


def rows_of_removals(windows: int = WINDOWS, spec: ModelSpec | None = None) -> Iterator[Row]:
    """The first windows of the sample texts, those of 512 tokens first, by the model that the project installs."""
    model = model_of(spec or ModelSpec())
    some = _windows(model)[:windows]
    heads = every_head(model.layers, model.heads)
    intervened(model, BY_MEAN)  # the mean over reference texts is found once, and kept
    seconds = times(
        {
            "bare": partial(_forward_passes, model, some, len(heads) + 1),
            "measured": partial(measured_importance, model, some),
            "estimated": lambda: [estimated_importance(model, passage) for passage in some],
        },
        ROUNDS,
    )
    bare = seconds["bare"]
    what = f"{len(heads)} heads on {len(some)} windows"
    yield f"{len(heads) + 1} forward passes a window, {len(some)} windows, batched", f"{bare:.1f} s", "1.00 x", ""
    yield f"importance of {what}, one by one", *_row(seconds["measured"], bare, "<= 1.15 x")
    yield f"the estimate of {what}", *_row(seconds["estimated"], seconds["measured"], "<= 0.2 x of the importance")
    full = some[0]
    click = times(
        {
            "bare": partial(_forward_passes, model, [full], 2),
            "click": partial(effects_of, model, full, [[Head(model.layers - 1, 0)]]),
        }
    )
    told = f"one click: the effect of one head on {len(full)} tokens, beside two forward passes"
    yield told, *_row(click["click"], click["bare"], "< 2 s")


def _row(seconds: float, beside: float, target: str) -> tuple[str, str, str]:
    return f"{seconds:.2f} s", f"{seconds / beside:.2f} x", target


def _forward_passes(model: LoadedModel, passages: list[Passage], number: int) -> None:
    """So many forward passes of each window, as many rows at once as an effect takes."""
    for passage in passages:
        size = max(1, BATCH_TOKENS // len(passage))
        for start in range(0, number, size):
            last_states(model, [passage] * min(size, number - start))


def _windows(model: LoadedModel) -> list[Passage]:
    found = [passage for sample in samples() for passage in passages_of(sample.text, model)]
    return sorted(found, key=len, reverse=True)
