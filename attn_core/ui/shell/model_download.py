"""Fetching a model from the hub, with progress: the only moment at which the dashboard reaches beyond this machine."""

import io
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import streamlit as st
from tqdm import tqdm

from attn_core.errors import InputError
from attn_core.models.files import ModelSpec
from attn_core.ui.widgets.escape import plain

POLL = 0.2  # seconds


def offer(spec: ModelSpec) -> None:
    """Show a button that downloads a model, and then the page with it; a failure is one sentence."""
    if not st.button(f"Download {plain(spec.name)}", icon=":material/download:", type="primary", width="stretch"):
        return
    try:
        _download(spec)
    except InputError as error:
        st.error(plain(error))
    else:
        st.rerun()


def _download(spec: ModelSpec) -> None:
    from attn_core.models.files import download  # which takes as long to import as a page may take

    bars: list[tqdm] = []
    shown = st.progress(0.0, f"Asking the hub for {plain(spec.name)}")
    with ThreadPoolExecutor(max_workers=1) as pool:
        job = pool.submit(download, spec, _recording_bar(bars))
        while not job.done():
            done, total = byte_counts(bars)
            if total:
                shown.progress(min(done / total, 1.0), f"{done / 1e6:,.0f} of {total / 1e6:,.0f} MB")
            time.sleep(POLL)
    shown.empty()
    job.result()


def byte_counts(bars: list[tqdm]) -> tuple[float, float]:
    """(bytes done, bytes in all) of the largest of the hub's progress bars that count bytes."""
    counted = [(float(bar.n), float(bar.total or 0)) for bar in bars if bar.unit == "B"]
    return max(counted, key=lambda pair: pair[1], default=(0.0, 0.0))


def _recording_bar(bars: list[tqdm]) -> type[tqdm]:
    """A tqdm class that draws nothing and puts its bars where the page can read them."""

    class RecordingBar(tqdm):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            kwargs.pop("name", None)
            super().__init__(*args, **{**kwargs, "file": io.StringIO(), "disable": False})
            bars.append(self)

    return RecordingBar
