"""The Corpus page in its states: nothing yet, at work, finished, stopped, failed."""

import os
import shutil
import signal
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from attn_core.errors import InputError
from attn_core.findings.examples import examples_of_claim
from attn_core.findings.verdicts import CLAIMS
from attn_core.head import Head
from attn_core.models.files import ModelSpec
from attn_core.runs import folder as files
from attn_core.runs.lock import lock
from attn_core.runs.progress import Progress, read_progress
from attn_core.study.corpus import Corpus
from attn_core.study.opened import Study, open_study
from attn_core.study.reread import texts_again
from attn_core.study.runner import run_study
from attn_core.texts import own_texts
from attn_core.ui.findings.examples import link
from attn_core.ui.runs import background
from attn_core.ui.runs import starting as corpus_choice
from attn_core.ui.runs.kinds import ELSEWHERE, STUDY
from attn_core.ui.widgets.escape import plain
from tests.study.conftest import SMALL
from tests.study.made_up import write_corpus
from tests.ui.pages import ROOT, opened, visit

HOLDER = """
import sys, time
from pathlib import Path
from attn_core.runs.lock import lock
with lock(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""
CORPUS, HEADS = "pages/9_Corpus.py", "pages/1_Heads.py"
pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def made(tiny: ModelSpec, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a study of 14 texts: read it only."""
    below = tmp_path_factory.mktemp("made")
    return run_study(Corpus(str(write_corpus(below / "texts", texts=14))), tiny, below / "study", SMALL).folder


@pytest.fixture
def mine(made: Path, studies: Path) -> Study:
    """It, among the studies of the dashboard."""
    return open_study(shutil.copytree(made, studies / "mine"))


def say(folder: Path, **what) -> None:
    files.write_file(folder / files.PROGRESS, files.to_json(asdict(Progress(**what))))


def test_the_sample_texts_can_be_started_at_once(studies: Path, launched: list) -> None:
    app = opened(CORPUS)
    assert not studies.exists()
    app.button(key="start-study").click().run()
    (command,) = launched
    assert command[2:4] == ["attn_core", "study"]
    assert command[4].endswith("sample_texts")
    (folder,) = studies.iterdir()
    assert [read_progress(one).status for one in STUDY.known().values()] == ["starting"]
    assert app.button(key="start-study").disabled
    assert (folder / background.COMMAND).is_file()


def test_a_finished_study_shows_its_curves(studies: Path, tiny: ModelSpec, corpus_folder: Path, small) -> None:
    (corpus_folder / "zz.txt").write_text("Hm.")
    run_study(Corpus(str(corpus_folder)), tiny, studies / "mine", small)
    app = opened(CORPUS)
    headers = [header.value for header in app.header]
    assert headers[:3] == ["What these texts show", "Mean distance", "L1H1: pairs to read"]
    (about,) = [caption.value for caption in app.caption if caption.value.startswith("**mine**")]
    assert about.startswith("**mine** · 14 texts in ")
    assert f", 1 left out · {corpus_folder.name} · " in about
    assert any("1 texts were left out" in expander.label for expander in app.expander)


def test_a_study_made_elsewhere_is_opened_by_its_folder(studies: Path, tmp_path: Path, made: Path) -> None:
    app = opened(CORPUS)
    app.toggle(key="elsewhere").set_value(True).run()
    app.text_input(key="study_folder").set_value(str(made)).run()
    assert "Mean distance" in [header.value for header in app.header]
    for wrong, says in {
        str(tmp_path): "holds no study",
        "~nobody-of-that-name/x": "no folder",
        "x" * 300: "no folder",
    }.items():
        app.text_input(key="study_folder").set_value(wrong).run()
        assert not app.exception
        assert says in app.warning[0].value


def own_files(app: AppTest, path: Path | str) -> AppTest:
    app.selectbox(key="corpus_source").set_value(corpus_choice.ON_DISK).run()
    app.text_input(key="corpus_path").set_value(str(path)).run()
    assert not app.exception
    return app


def test_the_columns_of_tables_are_offered(studies: Path, tmp_path: Path, launched: list) -> None:
    pd.DataFrame({"id": ["a"], "body": ["The tide rose."], "title": ["x"]}).to_parquet(tmp_path / "a.parquet")
    pd.DataFrame({"body": ["The boats rose."], "title": ["y"]}).to_csv(tmp_path / "b.csv", index=False)
    app = own_files(opened(CORPUS), tmp_path)
    assert app.selectbox(key="corpus_column").options == ["body", "title"]
    app.selectbox(key="corpus_column").set_value("title").run()
    app.button(key="start-study").click().run()
    (command,) = launched
    assert command[command.index("--column") + 1] == "title"
    assert "--language" not in command


def test_tables_without_a_common_column_are_refused_before_the_start(studies: Path, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("body\nx\n")
    (tmp_path / "b.csv").write_text("title\nx\n")
    app = own_files(opened(CORPUS), tmp_path)
    assert any("No column of texts is in all 2 tables" in caption.value for caption in app.caption)
    assert "start-study" not in [button.key for button in app.button]


def test_texts_can_be_uploaded_and_are_kept_beside_the_studies(studies: Path, launched: list) -> None:
    app = opened(CORPUS)
    app.selectbox(key="corpus_source").set_value(corpus_choice.UPLOADED).run()
    app.file_uploader(key="corpus_upload").set_value(
        [("one.txt", b"The tide rose.", "text/plain"), ("../one.txt", b"The boats rose.", "text/plain")]
    ).run()
    assert not app.exception
    app.button(key="start-study").click().run()
    (command,) = launched
    assert [text.text for text in Corpus(command[4]).texts()] == ["The tide rose.", "The boats rose."]
    assert Path(command[4]).parent == studies / corpus_choice.UPLOADS
    assert list(STUDY.known()) == [files_name(command)]


def test_texts_of_ones_own_can_be_a_corpus(studies: Path, launched: list, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_texts, "folder", lambda: studies / "own")
    assert corpus_choice.MINE not in opened(CORPUS).selectbox(key="corpus_source").options
    own_texts.keep("The tide rose.")
    own_texts.keep("The boats rose.")
    app = opened(CORPUS)
    app.selectbox(key="corpus_source").set_value(corpus_choice.MINE).run()
    assert not app.exception
    app.button(key="start-study").click().run()
    (command,) = launched
    assert sorted(str(text.text) for text in Corpus(command[4]).texts()) == ["The boats rose.", "The tide rose."]


def files_name(command: list[str]) -> str:
    return Path(command[command.index("--out") + 1]).name


def test_a_failed_study_is_started_anew_or_deleted(studies: Path, launched: list) -> None:
    say(studies / "mine", status="failed", message="The disk is full.")
    files.write_file(studies / "yours" / background.COMMAND, files.to_json({"command": ["texts"]}))
    files.write_folder(files.shard_path(studies / "mine", 0), {"texts.parquet": b""})
    (studies / "yours" / background.COMMAND).rename(
        studies / "mine" / background.COMMAND
    )  # it works where it lies by now
    app = opened(CORPUS)
    app.button(key="start-anew-study").click().run()
    assert launched[0][4:7] == ["texts", "--out", str(studies / "mine")]
    assert not (studies / "mine" / files.SHARDS).exists()
    say(studies / "mine", status="failed", message="The disk is full.")
    app = opened(CORPUS)
    app.button(key="delete-study").click().run()
    assert not app.exception
    assert not (studies / "mine").exists()
    assert app.button(key="start-study")


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_study_that_lies_elsewhere_has_no_buttons_and_is_not_deleted(
    studies: Path, tmp_path: Path, made: Path, launched: list
) -> None:
    """Be it named by its folder, or by a link below the studies."""
    elsewhere = shutil.copytree(made, tmp_path / "elsewhere")
    files.write_file(elsewhere / background.COMMAND, files.to_json({"command": ["texts"]}))
    say(elsewhere, status="failed", message="The disk is full.")
    studies.mkdir()
    (studies / "linked").symlink_to(elsewhere)
    before = contents(elsewhere)
    for folder in (elsewhere, studies / "linked"):
        app = visit(CORPUS)
        app.session_state["study"] = corpus_choice_of(folder, studies)
        app.session_state["study_folder"] = str(folder)
        app.run()
        assert not app.exception
        assert any("It lies elsewhere" in caption.value for caption in app.caption)
        assert not {"delete-study", "go-on", "start-anew-study"} & {button.key for button in app.button}
        for action in (background.delete, background.start_anew, background.launch):
            with pytest.raises(InputError, match="does not lie among the results"):
                action(folder)
    assert contents(elsewhere) == before
    assert launched == []


def corpus_choice_of(folder: Path, studies: Path) -> str:
    return folder.name if folder.parent == studies else ELSEWHERE


def test_nothing_is_lost_where_a_study_cannot_be_started_anew(studies: Path, launched: list) -> None:
    """Notes beside it would be in its way once its manifest is gone."""
    say(studies / "mine", status="failed", message="The disk is full.")
    files.write_file(studies / "mine" / background.COMMAND, files.to_json({"command": ["texts"]}))
    files.write_folder(files.shard_path(studies / "mine", 0), {"texts.parquet": b"counted"})
    (studies / "mine" / "notes.txt").write_text("mine")
    before = contents(studies / "mine")
    with pytest.raises(InputError, match=r"notes.txt in mine would be in the way"):
        background.start_anew(studies / "mine")
    assert contents(studies / "mine") == before
    assert launched == []


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("", "Name a folder"),
        ("/nowhere/at/all", "There is no text at"),
        (str(ROOT / CORPUS), "cannot be read as texts"),
        *((path, "") for path in ("~nobody-of-that-name/x", "/proc", "x" * 5000, "a\0b")),
    ],
)
def test_a_corpus_that_cannot_be_read_is_said_before_the_start(studies: Path, path: str, says: str) -> None:
    app = own_files(opened(CORPUS), path)
    sentences = [caption.value.replace("\\", "") for caption in app.caption]
    assert any(says in one and one.startswith(":material/info:") for one in sentences)


def test_a_killed_study_is_told_from_one_at_work(studies: Path) -> None:
    say(studies / "mine", status="running", done=0.25, texts=3, windows=7, rate=2.0, left_seconds=90.0)
    (studies / "mine" / background.LOG).write_text("one\nMemoryError\n")
    assert "MemoryError" in opened(CORPUS).warning[0].value
    with lock(studies / "mine"):
        app = opened(CORPUS)
        assert not app.warning
        assert app.button(key="cancel-study")


def test_a_folder_of_a_model_is_named_by_its_whole_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command runs in the project's folder, wherever the dashboard was started."""
    (tmp_path / "mine").mkdir()
    monkeypatch.chdir(tmp_path)
    assert background.of_model(ModelSpec("mine")) == ["--model", str(tmp_path / "mine")]
    assert background.of_model(ModelSpec("some/one", "main")) == ["--model", "some/one", "--revision", "main"]


def test_a_study_is_cancelled_while_it_starts_and_while_it_counts(studies: Path) -> None:
    background.begin(STUDY, "mine", ["no such text", "--model", "default"])
    process = Progress(**files.read_json(studies / "mine" / files.PROGRESS)).pid
    os.kill(process, signal.SIGSTOP)  # so that it is still starting however long the page takes
    app = opened(CORPUS)
    app.button(key="cancel-study").click().run()
    os.kill(process, signal.SIGCONT)
    assert os.waitpid(process, 0)[1] == signal.SIGTERM
    assert read_progress(studies / "mine").status == "cancelled"
    assert "goes on where it was" in opened(CORPUS).warning[0].value
    assert not background.stop(studies / "mine")
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(studies / "mine")], stdout=subprocess.PIPE) as holder:
        assert holder.stdout and holder.stdout.readline() == b"held\n"
        say(studies / "mine", status="running", done=0.25, pid=holder.pid)
        assert background.stop(studies / "mine")
        assert holder.wait(20) == -signal.SIGTERM
        assert read_progress(studies / "mine").status == "interrupted"  # a study would have told more


def test_a_process_of_another_machine_is_never_ended_here(studies: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process of this machine may have its number."""
    (studies / "mine").mkdir(parents=True)
    say(studies / "mine", status="starting", pid=os.getpid(), host="elsewhere")
    monkeypatch.setattr(os, "kill", lambda *_: pytest.fail("a process of this machine was ended"))
    monkeypatch.setattr(
        background, "read_progress", lambda folder: Progress(**files.read_json(folder / files.PROGRESS))
    )
    assert not background.stop(studies / "mine")


def test_a_claim_leads_to_pairs_and_a_pair_to_its_text(
    studies: Path, tiny: ModelSpec, corpus_folder: Path, small
) -> None:
    study = run_study(Corpus(str(corpus_folder)), tiny, studies / "mine", small)
    for claim in CLAIMS:
        examples = examples_of_claim(claim, study.examples, study.heads, study.layers)
        assert len(examples) == 3 and examples.index.is_unique, claim
    row = study.examples.sort_values(["window", "layer"]).iloc[-1]
    app = opened(HEADS, **link(study, row, "mine"))
    assert not app.warning
    assert app.number_input(key="study_text").value == row["text"] + 1
    assert app.selectbox(key="a").value == str(Head.of_row(row["layer"], row["head"]))
    framed = next(text.value for text in app.markdown if ":violet-background" in text.value)
    assert all(f"**{plain(row[token])}**" in framed for token in ("first_text", "second_text"))
    app = opened(CORPUS, **{"open-rows": "true"})
    app.text_input(key="find-corpus").set_value("boat").run()
    shown = [text.value for text in app.markdown if ":violet-background" in text.value]
    assert any("boat" in text for text in shown)
    (corpus_folder / "000.txt").write_text("Another text.")
    with pytest.raises(InputError, match="have changed since the study was made"):
        texts_again(study.manifest, {1})
