"""A chart is made once for the same tables: Altair needs a tenth of a second for what a digest tells in a millisecond."""

import hashlib
import json
import re
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import fields, is_dataclass
from functools import wraps
from threading import Lock
from typing import Any, ParamSpec, TypeVar

import altair as alt
import numpy as np
import pandas as pd
import pyarrow as pa
from altair.utils.schemapi import disable_debug_mode

from attn_core.charts.marks import Marked

KEPT = 128  # charts; the tables in them have a few hundred rows
# A sentence for every single mark, which nobody hears where the chart has an alternative text, took half of the drawing.
# And the first and the last number of an axis stand at their gridlines too, not moved inwards.
LOOK = {"config": {"mark": {"aria": False}, "axis": {"labelFlush": False}}}
P = ParamSpec("P")
C = TypeVar("C", alt.Chart, alt.LayerChart)

_kept: OrderedDict[bytes, Any] = OrderedDict()
_specs: dict[int, dict[str, Any]] = {}  # by the id of a chart that is kept
_aside: ContextVar[dict[int, tuple[str, pa.Table]] | None] = ContextVar("tables set aside", default=None)
_lock = Lock()
alt.theme.enable("none")  # the page's own theme draws
disable_debug_mode()  # every part would be checked when it is made, and again with the whole; the tests check the whole


def once(build: Callable[P, C]) -> Callable[P, C]:
    """Decorates a pure function of tables, arrays and small values that makes a chart. Charts are never changed in place."""

    @wraps(build)
    def kept(*arguments: P.args, **options: P.kwargs) -> C:
        key = _digest([build.__module__, build.__qualname__, arguments, sorted(options.items())])
        with _lock:
            if key in _kept:
                _kept.move_to_end(key)
                return _kept[key]
        chart = build(*arguments, **options)
        with _lock:
            chart = _kept.setdefault(key, chart)  # another thread may have been faster
            while len(_kept) > KEPT:
                _specs.pop(id(_kept.popitem(last=False)[1]), None)
        return chart

    return kept


def vega_lite(chart: Any) -> dict[str, Any]:
    """The Vega-Lite specification of a chart, its tables as Arrow under "datasets", with the columns that it draws."""
    if isinstance(chart, Marked):
        return chart.marks(vega_lite(chart.chart))
    if (spec := _specs.get(id(chart))) is None:
        aside: dict[int, tuple[str, pa.Table]] = {}
        before = _aside.set(aside)
        try:
            bare = chart.to_dict(validate=False)
        finally:
            _aside.reset(before)
        drawn = _words(json.dumps(bare))
        spec = bare | LOOK | {"datasets": {name: _columns_in(drawn, table) for name, table in aside.values()}}
        with _lock:
            if any(chart is one for one in _kept.values()):
                _specs[id(chart)] = spec
    return spec


def _columns_in(specification: set[str], table: pa.Table) -> pa.Table:
    """The columns whose names stand somewhere in the words of a specification, as fields or in expressions."""
    return table.select([name for name in table.column_names if _words(name) <= specification])


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))


def _set_aside(data: Any) -> Any:
    """What Altair does with a chart's table: `vega_lite` names it and keeps it aside, once where several marks draw it."""
    if (aside := _aside.get()) is None or not isinstance(data, pd.DataFrame):
        return alt.default_data_transformer(data)
    if id(data) not in aside:
        aside[id(data)] = _digest(data).hex(), pa.Table.from_pandas(data, preserve_index=False)
    return {"name": aside[id(data)][0]}


def _digest(value: Any) -> bytes:
    digest = hashlib.sha256()
    for part in _parts(value):
        digest.update(len(part).to_bytes(8))
        digest.update(part)
    return digest.digest()


def _parts(value: Any) -> Iterator[bytes]:
    """The bytes that tell a value from others, whole: Streamlit's own caches take samples of large tables."""
    if isinstance(value, pd.DataFrame):
        for name, column in value.items():
            yield from _parts([name, column.dtype, column.to_numpy()])
    elif isinstance(value, np.ndarray) and value.dtype == object:
        yield repr((value.shape, value.tolist())).encode()
    elif isinstance(value, np.ndarray):
        yield repr((value.dtype, value.shape)).encode()
        yield np.ascontiguousarray(value).tobytes()
    elif is_dataclass(value):
        yield type(value).__qualname__.encode()
        yield from _parts([getattr(value, field.name) for field in fields(value)])
    elif isinstance(value, list | tuple | dict):
        yield f"{type(value).__name__} {len(value)}".encode()
        for each in value.items() if isinstance(value, dict) else value:
            yield from _parts(each)
    else:
        yield repr(value).encode()


alt.data_transformers.register("set_aside", _set_aside)
alt.data_transformers.enable("set_aside")
