"""The Training page: which series it offers, what it says of one, and what bad input gets."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from attn_core.measures.roles import assign_roles
from attn_core.measures.statistics import COUNTED
from attn_core.runs.kinds import KINDS
from attn_core.runs.run import agreed_manifest
from attn_core.series.folder import Facts, Step, write_step
from attn_core.ui.runs import kinds
from tests.ui.pages import opened


def page() -> None:
    from attn_core.ui.compare.series import show_series

    show_series()


def step(number: int, reach: float) -> Step:
    """2 layers x 2 heads, whose strong pairs reach so far, of 100 tokens by chance."""
    index = pd.DataFrame({"layer": [1, 1, 2, 2], "head": [1, 2, 1, 2]})
    shares = {c: 0.1 for s in COUNTED for c in (s.name, s.chance)} | {
        "mean_distance": reach,
        "chance_mean_distance": 100.0,
    }
    shares |= {f"{kind}anchor_{what}": 0.1 for kind in ("", "chance_") for what in ("coverage", "context_share")}
    shares |= {"near_share": 0.9 if reach < 50 else 0.1}
    heads = index.assign(**shares, anchor="the", repeated_tokens="", anchor_is_separator=False, pairs=1000, windows=1)
    heads = heads.join(assign_roles(heads))
    layers = heads.groupby("layer", as_index=False)[list(shares)].mean()
    ranks = np.random.default_rng(number).permuted(np.tile(np.arange(2, 92, 2, dtype=np.uint16), (2, 2, 1)), axis=-1)
    return Step(Facts(number, f"checkpoint-{number}", "sha256:0", "base"), heads, layers, (ranks,))


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of series, with one of three steps in it; the sample aside."""
    monkeypatch.setenv("ATTN_CORE_SERIES", str(tmp_path / "series"))
    monkeypatch.setattr(kinds, "SAMPLES", tmp_path / "samples")
    made(tmp_path / "series" / "mine", {0: 80.0, 10: 60.0, 500: 40.0})
    return tmp_path / "series"


def made(folder: Path, reach: dict[int, float]) -> None:
    folder.mkdir(parents=True)
    settings = {"measure": "dot", "share": 0.01, "with_special": True, "unit": "tokens", "layout": "plain"}
    texts = {"fingerprint": "0", "probes": 1, "tokens": 10}
    agreed_manifest(folder, KINDS["series"], {"model": "org/tiny", "texts": texts, "settings": settings})
    for number, tokens in reach.items():
        write_step(folder, step(number, tokens))


def run(**address: str) -> AppTest:
    return opened(page, **address)


def test_a_series_is_told_in_three_numbers(root: Path) -> None:
    app = run()
    assert not app.warning
    assert [metric.value for metric in app.metric[:2]] == ["step 500", "0.80 to 0.40"]
    assert "3 steps of tiny" in " ".join(caption.value for caption in app.caption)
    assert len(app.get("vega_lite_chart")) == 3
    opens = {f"open-{part}": "true" for part in ("series-heads", "drift-of-heads", "series-layers")}
    app = run(**opens)
    assert len(app.get("vega_lite_chart")) == 5
    assert len(app.dataframe) == 4  # head A, layers, drift, since when
    assert any("random order" in caption.value for caption in app.caption)


def test_head_a_is_told_step_by_step(root: Path) -> None:
    app = run(a="L2H1")
    assert any(header.value == "L2H1 by step" for header in app.header)
    shown = app.dataframe[0].value
    assert shown["step"].tolist() == [0, 10, 500]
    assert shown["mean_distance"].tolist() == [80, 60, 40]
    assert shown["drift"].iloc[-1] == pytest.approx(0) and shown["drift"].iloc[0] > 0.5
    assert any("neighbours at the last step, " in text.value for text in app.markdown)


def test_one_step_is_no_series_yet(root: Path) -> None:
    made(root / "begun", {0: 80.0})
    app = run(series="begun")
    assert "One step is no series yet" in app.info[0].value


def test_a_damaged_step_is_told_in_a_sentence(root: Path) -> None:
    (root / "mine" / "steps" / "00000010" / "heads.parquet").write_bytes(b"")
    app = run()
    assert "damaged" in app.warning[0].value
