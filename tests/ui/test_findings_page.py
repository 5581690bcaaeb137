"""The Findings page: the sample at the first start, folders in every state, its filters in the address, starting and deleting."""

import json
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from attn_core.errors import InputError
from attn_core.findings.bars import BARS, BY_EFFECT
from attn_core.io.paths import last_part
from attn_core.models.files import MINILM
from attn_core.reproduction.conclusions import standings
from attn_core.reproduction.opened import open_reproduction
from attn_core.runs import folder as files
from attn_core.runs.lock import lock
from attn_core.runs.ownership import read_command
from attn_core.ui.reproduction import choosing
from attn_core.ui.runs import background
from attn_core.ui.runs.kinds import ELSEWHERE
from attn_core.ui.widgets.escape import plain
from tests.reproduction import made_up
from tests.reproduction.made_up import SAMPLE
from tests.ui.pages import opened

BAD = "<b>*evil*</b>"
READ_QUICKLY = (BY_EFFECT["reach"].name, BY_EFFECT["separators"].name)


def page() -> None:
    """The page without its frame, which reads a text."""
    import streamlit as st

    from attn_core.ui.reproduction import starting
    from attn_core.ui.reproduction.showing import show_reproduction
    from attn_core.ui.runs.kinds import REPRODUCTION
    from attn_core.ui.runs.watching import choose_run, open_run, show_outcome
    from attn_core.ui.widgets.downloads import begin_figures

    begin_figures()
    show_outcome()
    row = st.container(horizontal=True)
    starting.begin()
    if reproduction := open_run(REPRODUCTION, choose_run(REPRODUCTION, place=row)):
        show_reproduction(reproduction, row)


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of reproductions, empty; and of what other pages add."""
    monkeypatch.setenv("ATTN_CORE_REPRODUCTIONS", str(tmp_path / "reproductions"))
    monkeypatch.setenv("ATTN_CORE_PATTERNS", str(tmp_path / "patterns"))
    monkeypatch.setenv("ATTN_CORE_ABLATIONS", str(tmp_path / "ablations"))
    return tmp_path / "reproductions"


def run(**address: str | list[str]) -> AppTest:
    return opened(page, **address)


def specs(app: AppTest) -> list[dict[str, Any]]:
    return [json.loads(chart.proto.spec) for chart in app.get("vega_lite_chart")]


def told(app: AppTest) -> str:
    return " ".join(block.value for block in [*app.markdown, *app.caption]).replace("\\", "")


def copied(root: Path, name: str = "mine", **tables: Any) -> Path:
    """The sample below the root, with other tables in place of its own."""
    return made_up.copied(root / name, **tables)


def several(root: Path) -> Path:
    """Two models and two corpora: the sample under other names."""
    sample = open_reproduction(SAMPLE)
    made: dict[str, Any] = {}
    for name in ("verdicts", "curves", "readings", "corpora"):
        table = getattr(sample, name)
        others = [table.assign(corpus="abstracts")]
        if "model" in table:
            others += [table.assign(model=f"org/{BAD}")]
        made[name] = pd.concat([table, *others], ignore_index=True)
    return copied(root, "several", **made)


def test_the_page_is_full_at_the_first_start() -> None:
    app = run()
    assert not app.warning and not app.error
    assert app.selectbox(key="reproduction").value == SAMPLE.name
    grid, curve = specs(app)
    assert len(app.get("vega_lite_chart")) == 2
    own = [one for one in standings(open_reproduction(SAMPLE).verdicts) if one.control == "none"]
    assert [one.bars for one in own] == list(BARS)
    rows = told(run(**{"open-by-claim": "true"}))
    assert all(one.summary in rows for one in own)


def test_corpora_and_models_are_filtered_and_their_names_are_text(root: Path) -> None:
    several(root)
    app = run(reproduction="several", of_corpus="sample_texts")
    assert not app.warning
    models = [MINILM, f"org/{BAD}"]
    assert app.multiselect(key="of_models").options == models
    assert BAD not in " ".join(block.value for block in [*app.markdown, *app.caption])
    app = run(reproduction="several", of_corpus="abstracts")
    assert not [one for one in app.multiselect if one.key == "of_models"], "one model is no choice"
    app = run(reproduction="several", of_models=[models[1]])
    assert app.session_state["of_models"] == [models[1]]
    assert f"{last_part(models[1])}: " in app.get("vega_lite_chart")[0].proto.alt, (
        "the grid is of the model that was chosen"
    )


@pytest.mark.model
@pytest.mark.parametrize(
    "claim", [pytest.param(name, marks=() if name in READ_QUICKLY else pytest.mark.long) for name in choosing.LABELS]
)
def test_a_claim_is_read_in_a_text_of_the_corpus(claim: str) -> None:
    app = run(row=claim, read_claim="true")
    assert not app.warning
    told_here = [caption.value for caption in app.caption if "tokens apart" in caption.value]
    assert 1 <= len(told_here) <= 3 and all("text 1, window 1" in one for one in told_here)
    if claim == BY_EFFECT["separators"].name:
        app.number_input(key="claim_text").set_value(2).run()
        assert any("text 2, window 1" in caption.value for caption in app.caption)


def test_bad_folders_are_told_in_one_sentence(root: Path, tmp_path: Path) -> None:
    app = run(reproduction=ELSEWHERE)
    old = copied(tmp_path, "old")
    manifest = files.read_json(old / files.MANIFEST)
    assert manifest
    files.write_file(old / files.MANIFEST, files.to_json({**manifest, "format": "reproduction 0"}))
    app.text_input(key="reproduction_folder").set_value(str(old)).run()
    assert "another version" in app.warning[0].value
    (copied(tmp_path, "hurt") / files.TABLES / "verdicts.parquet").write_bytes(b"")
    app.text_input(key="reproduction_folder").set_value(str(tmp_path / "hurt")).run()
    assert not app.exception and len(app.warning) == 1 and "damaged" in app.warning[0].value


def test_starting_writes_the_command_and_shows_what_was_started(root: Path, launched: list) -> None:
    app = run()
    app.text_input(key="reproduction_name").set_value("My Novels").run()
    app.number_input(key="first_windows").set_value(2).run()
    app.button(key="start-reproduction").click().run()
    assert not app.exception
    (command,) = launched
    assert command[:4] == [sys.executable, "-m", "attn_core", "reproduce"]
    assert command[command.index("--models") + 1] == MINILM
    assert command[command.index("--controls") + 1 : command.index("--windows") + 2] == [
        "untrained",
        "permuted",
        "shuffled",
        "--windows",
        "2",
    ]
    assert command[command.index("--out") + 1] == str(root / "my-novels")
    assert app.selectbox(key="reproduction").value == "my-novels"
    assert read_command(root / "my-novels")


def test_what_is_there_can_be_added_to_and_goes_on(root: Path, launched: list) -> None:
    folder = copied(root)
    files.write_file(folder / files.COMMAND, files.to_json({"subcommand": "reproduce", "command": ["texts"]}))
    app = run(reproduction="mine")
    app.selectbox(key="into").set_value("mine").run()
    app.button(key="start-reproduction").click().run()
    assert not app.exception and not app.warning
    told_now = read_command(folder)
    assert told_now and "--models" in told_now["command"] and launched[0][-1]
    with lock(folder), pytest.raises(InputError, match="at work"):
        background.go_on_with(folder, ["texts"])
    with pytest.raises(InputError, match="does not lie among"):
        background.go_on_with(SAMPLE, ["texts"])


def test_one_is_deleted_and_what_is_not_its_own_stays(root: Path) -> None:
    folder = copied(root)
    (folder / "notes.txt").write_text("mine", encoding="utf-8")
    app = run(reproduction="mine")
    app.button(key="delete-study").click().run()
    assert plain("notes.txt") in app.info[0].value
    assert [path.name for path in folder.rglob("*")] == ["notes.txt"]
    assert app.selectbox(key="reproduction").value == SAMPLE.name
    assert not [button for button in app.button if button.key == "delete-study"], "the sample is not ours to delete"
    assert "does not lie" in str(pytest.raises(InputError, background.delete, SAMPLE).value)
