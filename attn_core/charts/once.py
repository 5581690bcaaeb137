"""A chart is made once for the same tables: Altair needs a tenth of a second for what a digest tells in a millisecond."""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import wraps
from threading import Lock
from typing import Any, ParamSpec, TypeVar

import altair as alt
import numpy as np
import pandas as pd
import pyarrow as pa
from altair.utils.schemapi import disable_debug_mode

from attn_core.charts.marked import Marked

KEPT = 128  # charts; the tables in them have a few hundred rows
P = ParamSpec("P")
C = TypeVar("C", alt.Chart, alt.LayerChart)

_kept: OrderedDict[bytes, Any] = OrderedDict()
_specs: dict[int, dict[str, Any]] = {}  # by the id of a chart that is kept
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
    """The Vega-Lite specification of a chart, its tables as Arrow under "datasets"."""
    if isinstance(chart, Marked):
        return chart.marks(vega_lite(chart.chart))
    if (spec := _specs.get(id(chart))) is None:
        tables: dict[str, pa.Table] = {}
        spec = _without_tables(chart, tables).to_dict(validate=False) | {"datasets": tables}
        with _lock:
            if any(chart is one for one in _kept.values()):
                _specs[id(chart)] = spec
    return spec


def _without_tables(chart: Any, tables: dict[str, pa.Table]) -> Any:
    """The chart with its tables named by their contents, and put into `tables`; row by row they would take far longer."""
    chart = chart.copy(deep=False)
    if isinstance(chart.data, pd.DataFrame):
        name = _digest(chart.data).hex()
        tables[name] = pa.Table.from_pandas(chart.data, preserve_index=False)
        chart.data = alt.NamedData(name)
    if isinstance(chart, alt.LayerChart):
        chart.layer = [_without_tables(layer, tables) for layer in chart.layer]
    return chart


def _digest(value: Any) -> bytes:
    digest = hashlib.sha256()
    for part in _parts(value):
        digest.update(len(part).to_bytes(8))
        digest.update(part)
    return digest.digest()


def _parts(value: Any) -> Iterator[bytes]:
    """The bytes that tell a value from others, whole: Streamlit's own caches take samples of large tables."""
    if isinstance(value, pd.DataFrame):
        yield repr([*zip(value.columns, value.dtypes, strict=True)]).encode()
        yield pd.util.hash_pandas_object(value).to_numpy().tobytes()
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
