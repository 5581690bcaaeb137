"""Every table of every page has the numbers that Python gives for the same choice.

Each table has an oracle, by its page and its key; one without the other fails.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import streamlit as st

from attn_core.interventions.runner import run_ablation
from attn_core.interventions.worker import AblationSettings
from attn_core.models.files import ModelSpec
from attn_core.study.corpus import Corpus
from attn_core.texts.token_names import readable
from attn_core.ui.widgets.show import PERCENT, TOKENS
from tests.families import SERVED, save_whole
from tests.quick import quick_only
from tests.study.made_up import write_corpus
from tests.ui.oracles import FROM_NOISE, OF_SAMPLES, ORACLES, Asked, B
from tests.ui.pages import opened

pytestmark = pytest.mark.model
# A text without gold boundaries, a model without a language-model head.
NOT_OF_MINILM = {"segmentation-scores", "entropies"}
# Those of a study are the same for any model. With the real one pages take many readings, of copies and without heads.
OF_TINY = [("tiny", page) for page in ORACLES]
OF_MINILM = [("minilm", page) for page in ORACLES if "Corpus" not in page]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny model that predicts words, and an ablation of it."""
    folder = tmp_path_factory.mktemp("runs")
    spec = ModelSpec(str(save_whole(folder / "tiny", SERVED["bert"])))
    corpus = Corpus(str(write_corpus(folder / "texts", texts=4)))
    run_ablation(corpus, spec, folder / "ablations" / "mine", AblationSettings("heads", (str(B),)))
    return folder


@pytest.fixture(scope="module")
def choices(runs: Path) -> dict[str, Asked]:
    """All windows of a text of several for the tiny model, for the real one the only window."""
    return {
        "tiny": Asked(ModelSpec(str(runs / "tiny")), "Three topics", "all, pooled", runs),
        "minilm": Asked(ModelSpec(), "A scientific abstract (invented study)", "1", runs),
    }


@contextmanager
def noted(tables: dict[str, pd.DataFrame]) -> Iterator[None]:
    """Collects each table that is drawn, by its key, with shares as shares and not in percent."""
    draw = st.dataframe

    def drawn(frame: pd.DataFrame, *, key: str, column_config: dict, **options: Any) -> object:
        formats = {name: (column_config.get(name) or {}).get("type_config", {}).get("format") for name in frame}
        shares = {name: frame[name] / 100 for name, format_ in formats.items() if format_ == PERCENT}
        tables[key.removeprefix("table-")] = frame.assign(**shares)
        return draw(frame, key=key, column_config=column_config, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(st, "dataframe", drawn)
        yield


def tables_of(page: str, address: dict[str, str]) -> dict[str, pd.DataFrame]:
    """Every table of a page with everything unfolded."""
    folds: set[str] = set()
    while True:
        tables: dict[str, pd.DataFrame] = {}
        with noted(tables):
            app = opened(page, **address, **{f"open-{fold}": "true" for fold in folds})
        assert len(app.dataframe) == len(tables), "a table that is drawn in another way"
        named = {one.proto.id.partition("-open-")[2] for one in app.expander} - {""}
        if named <= folds:
            return tables
        folds |= named


@pytest.mark.parametrize("of", quick_only([*OF_TINY, *OF_MINILM], *OF_TINY), ids="-".join)
def test_every_table_of_a_page_is_what_python_gives(
    of: tuple[str, str], choices: dict[str, Asked], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the page Corpus those of the studies that come with the project."""
    model, (page, _, tab) = of[0], of[1].partition(" ")
    asked = choices[model]
    monkeypatch.setenv("ATTN_CORE_ABLATIONS", str(asked.runs / "ablations"))
    monkeypatch.setenv("ATTN_CORE_STUDIES", str(asked.runs / "studies"))
    oracles = {key: one for key, one in ORACLES[of[1]].items() if model == "tiny" or key not in NOT_OF_MINILM}
    study = FROM_NOISE if tab == "Training" else OF_SAMPLES
    tables = tables_of(page, asked.address | ({"tab": tab, "study": study.folder.name} if tab else {}))
    assert tables.keys() == oracles.keys()
    for key, table in tables.items():
        expected = oracles[key](asked)[list(table)].reset_index(drop=True)
        for name in TOKENS.intersection(table):  # the screen names marks of punctuation
            expected[name] = expected[name].map(readable, na_action="ignore")
        for name in table.select_dtypes("number"):  # nor does it show a -0.00
            expected[name] = expected[name].mask((table[name].to_numpy() == 0) & expected[name].between(-0.05, 0), 0)
        assert len(table), key
        pd.testing.assert_frame_equal(
            table.reset_index(drop=True), expected, check_dtype=False, rtol=1e-5, atol=1e-8, obj=key
        )
