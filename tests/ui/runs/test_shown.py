"""Runs of every kind on a page: chosen here or elsewhere, watched, failed, refused, started."""

import subprocess
import sys
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from attn_core.errors import InputError
from attn_core.runs import folder as run_folder
from attn_core.runs.folder import Kind, lock
from attn_core.runs.progress import write_progress
from attn_core.ui.runs import background
from attn_core.ui.runs.background import ABLATION, STUDY, root_of
from attn_core.ui.runs.watching import ELSEWHERE
from tests.ui.pages import opened

BAD = "<b>*evil*</b>"
NAMES = {STUDY: "STUDY", ABLATION: "ABLATION"}
EVERY = [pytest.param(kind, id=kind.name) for kind in NAMES]


def page(name: str) -> None:
    import streamlit as st

    from attn_core.ui.corpus.starting import offer_study
    from attn_core.ui.runs import background
    from attn_core.ui.runs.watching import choose_run, open_run, show_outcome

    kind = getattr(background, name)
    show_outcome()
    if kind == background.STUDY:
        offer_study(st.text_input("Name", "My texts"), ["texts", "--limit", "3"])
    st.write("Opened." if open_run(kind, choose_run(kind, "Run", kind.name)) else "Nothing.")


@pytest.fixture(autouse=True)
def roots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where runs are, empty, and nothing that comes with the project."""
    monkeypatch.setattr(background, "SAMPLES", tmp_path / "samples")
    for kind in NAMES:
        monkeypatch.setenv(f"ATTN_CORE_{kind.folders.upper()}", str(tmp_path / kind.folders))


def run(kind: Kind) -> AppTest:
    return opened(page, NAMES[kind])


def failed(kind: Kind) -> Path:
    folder = root_of(kind) / "mine"
    write_progress(folder, status="failed", message=f"The disk is full {BAD}.", done=0.4)
    return folder


@pytest.mark.parametrize("kind", EVERY)
def test_a_folder_elsewhere_is_asked_for_and_a_wrong_one_refused_in_one_sentence(kind: Kind, tmp_path: Path) -> None:
    app = run(kind)
    assert app.selectbox(key=kind.name).options == [ELSEWHERE] and not app.warning
    app.text_input(key=f"{kind.name}_folder").set_value(f"{tmp_path}/{BAD}").run()
    (warning,) = app.warning
    assert "There is no folder" in warning.value and BAD not in warning.value
    app.text_input(key=f"{kind.name}_folder").set_value(str(tmp_path)).run()
    (warning,) = app.warning
    assert "holds no" in warning.value and not app.exception


@pytest.mark.parametrize("kind", EVERY)
def test_one_that_failed_says_why_and_can_go_on_where_it_was_started_here(kind: Kind, launched: list) -> None:
    folder = failed(kind)
    app = run(kind)
    (error,) = app.error
    assert "The disk is full" in error.value and BAD not in error.value
    keys = [button.key for button in app.button]
    assert "delete-study" in keys and "go-on" not in keys
    with pytest.raises(InputError, match="started by a command"):
        background.launch(folder)
    run_folder.write_file(
        folder / run_folder.COMMAND, run_folder.to_json({"subcommand": kind.command, "command": ["texts"]})
    )
    app = run(kind)
    if kind == ABLATION:  # which no page starts
        assert "go-on" not in [button.key for button in app.button]
        return
    app.button(key="go-on").click().run()
    assert launched[0][3:5] == [kind.command, "texts"] and not app.exception


@pytest.mark.parametrize("kind", EVERY)
def test_one_at_work_is_watched_and_no_other_begun(kind: Kind) -> None:
    folder = root_of(kind) / "mine"
    folder.mkdir(parents=True)
    with lock(folder):
        write_progress(folder, status="running", done=0.25, texts=3, windows=7)
        app = run(kind)
        assert app.button(key="cancel-study") and not app.error and not app.warning
        assert kind != STUDY or app.button(key="start-study").disabled


def test_a_study_is_started_in_a_folder_of_its_own_shown_and_never_over_another(launched: list) -> None:
    app = run(STUDY)
    app.button(key="start-study").click().run()
    assert not app.exception and not app.warning
    (command,) = launched
    assert command[3:7] == [STUDY.command, "texts", "--limit", "3"]
    assert command[command.index("--out") + 1] == str(root_of(STUDY) / "my-texts")
    assert app.selectbox(key=STUDY.name).value == "my-texts" and background.read_command(root_of(STUDY) / "my-texts")
    assert f"{STUDY.command} texts --limit 3 --out {STUDY.folders}/my-texts" in app.code[0].value
    (root_of(STUDY) / "other").mkdir()
    (root_of(STUDY) / "other" / run_folder.COMMAND).write_text("{}")
    app = run(STUDY)
    app.text_input[0].set_value("other").run()
    write_progress(root_of(STUDY) / "my-texts", status="failed", message="It stopped.", done=0.1)
    app.run().button(key="start-study").click().run()
    assert "choose another name" in app.warning[0].value and len(launched) == 1


@pytest.mark.parametrize(
    "part", ["--dask=tcp://10.0.0.1:8786", "--das", "--out", "-o", "--workers", "--download", "--", 3, None]
)
def test_no_command_but_that_of_a_page_is_run(part: object, launched: list) -> None:
    """Neither of a command.json that came from elsewhere, nor of a name in a link."""
    folder = failed(STUDY)
    command = {"subcommand": STUDY.command, "command": ["texts", "--models", "a", part, "b"]}
    run_folder.write_file(folder / run_folder.COMMAND, run_folder.to_json(command))
    assert background.read_command(folder) is None
    with pytest.raises(InputError, match="its command.json is damaged"):
        background.launch(folder)
    if isinstance(part, str):
        with pytest.raises(InputError, match="is no option of a page"):
            background.begin("other", ["texts", "--models", part])
    assert not launched and not (root_of(STUDY) / "other").exists()


def test_nothing_is_started_over_a_link(launched: list, tmp_path: Path) -> None:
    folder = failed(STUDY)
    run_folder.write_file(
        folder / run_folder.COMMAND, run_folder.to_json({"subcommand": STUDY.command, "command": ["texts"]})
    )
    (tmp_path / "mine").write_text("mine")
    (folder / run_folder.LOG).symlink_to(tmp_path / "mine")
    with pytest.raises(InputError, match="is a link, a pipe or a device"):
        background.launch(folder)
    assert not launched and (tmp_path / "mine").read_text() == "mine"


def test_stop_ends_only_a_process_that_is_the_runs() -> None:
    folder = root_of(STUDY) / "mine"
    with subprocess.Popen([sys.executable, "-c", "input()", "attn_core", "other"], stdin=subprocess.PIPE) as innocent:
        write_progress(folder, status="starting", pid=innocent.pid)
        assert not background.stop(folder) and innocent.poll() is None
        with lock(folder):
            write_progress(folder, status="running")
            assert not background.stop(folder) and innocent.poll() is None
        innocent.kill()
