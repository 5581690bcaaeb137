"""The Corpus page in its states: nothing yet, at work, finished, stopped, failed."""

import argparse
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path
from unittest.mock import Mock

import pandas as pd
import pytest

from attn_core.claims.claim import CLAIMS
from attn_core.commands.study import add_command
from attn_core.errors import InputError
from attn_core.models.baselines import CONTROLS
from attn_core.models.files import ModelSpec, default_spec
from attn_core.runs import folder as run_folder
from attn_core.runs.progress import Progress, read_progress
from attn_core.similarity.strong_pairs import Settings
from attn_core.study import corpus
from attn_core.study.corpus import Corpus
from attn_core.study.runner import run_study
from attn_core.study.subjects import Subject, with_baselines
from attn_core.texts import own_texts
from attn_core.ui.corpus import starting
from attn_core.ui.corpus.starting import of_study
from attn_core.ui.readings import Choice
from attn_core.ui.runs import background
from attn_core.ui.runs.background import STUDY, known
from attn_core.ui.runs.watching import ELSEWHERE
from tests.quick import quick_only
from tests.study.conftest import SMALL
from tests.study.made_up import digests, write_corpus
from tests.ui.oracles import OF_SAMPLES
from tests.ui.pages import described, healthy, opened

HOLDER = """
import sys, time
from pathlib import Path
from attn_core.runs.folder import lock
with lock(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""
CORPUS = "pages/9_Corpus.py"
pytestmark = pytest.mark.model


def say(folder: Path, **what) -> None:
    run_folder.write_file(folder / run_folder.PROGRESS, run_folder.to_json(asdict(Progress(**what))))


SAMPLES = {
    "minilm-on-sample-texts": {
        "Claims": ("claims",), "Every setting": ("claims-grid", "specification-own_pairs"),
        "By layer and head": ("layers-mean_distance", "uniqueness", "stability"), "One head": (),
        "Texts": (), "Start a study": (),
    },
    "from-noise": {
        "Claims": ("claims",), "Every subject": (),
        "By layer and head": ("layers-mean_distance", "layers-separator_attention"),
        "Training": ("claims-grid", "layers-by-step-mean_distance", "roles-by-step", "entropies-by-step"), "Texts": (),
        "Start a study": (),
    },
}  # fmt: skip


@pytest.mark.parametrize("name", quick_only(SAMPLES, "from-noise"))
def test_a_study_that_comes_with_the_project_has_a_tab_for_each_thing_in_it(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATTN_CORE_STUDIES", str(tmp_path / "none"))
    for tab, charts in SAMPLES[name].items():
        app = opened(CORPUS, study=name, tab=tab, **{"open-one-claim": "true", "open-study-anchors": "true"})
        assert healthy(app) and app.selectbox(key="study").value == name
        assert app.button_group(key="tab").options == list(SAMPLES[name])
        drawn = {button.proto.id for button in app.get("download_button")}
        assert all(any(id.endswith(f"-svg-{chart}") for id in drawn) for chart in charts), (tab, drawn)


def test_the_grid_has_the_baselines_of_the_chosen_model(studies: Path, tmp_path: Path, tiny: ModelSpec) -> None:
    subjects = [*with_baselines([tiny], ["untrained", "shuffled_text"], seeds=2), Subject("training", tiny, step=0)]
    texts = Corpus(str(write_corpus(tmp_path / "texts", texts=1)))
    study = run_study(texts, subjects, studies / "mine", replace(SMALL, every_setting=True))
    for subject, columns in zip(study.own, (6, 2), strict=True):
        address = {"tab": "Every setting", "claim": CLAIMS[3].name, "subject": subject.label}
        app = opened(CORPUS, **address, **{"open-one-claim": "true"})
        assert healthy(app) and app.selectbox(key="claim").value == CLAIMS[3].name
        assert f" {columns} columns; " in described(app, "Which claims hold")


def test_a_study_made_elsewhere_is_opened_by_its_folder(studies: Path) -> None:
    app = opened(CORPUS)
    app.selectbox(key="study").set_value(ELSEWHERE).run()
    app.text_input(key="study_folder").set_value(str(OF_SAMPLES.folder)).run()
    assert app.selectbox(key="subject").options == [subject.label for subject in OF_SAMPLES.subjects]


def test_ticks_decide_baselines_and_settings_of_a_study(studies: Path, launched: list) -> None:
    app = opened(CORPUS, layout="separated", q="3", study_models="some/other")
    app.button(key="start-study").click().run()
    (command,) = launched
    at = command.index("--controls")
    assert command[at + 1 : at + 4] == list(CONTROLS) and "--every-setting" not in command
    assert command[command.index("--models") + 1 :][:2] == [default_spec().name, "some/other"]
    assert command[command.index("--layout") + 1] == "separated" and command[command.index("--share") + 1] == "0.03"
    choice = Choice(ModelSpec("some/one", stack="decoder"), "", "")
    asked = of_study(Corpus("texts"), choice, ["other"], (), True, ["same_word"], windows=2)
    assert " ".join(asked) == "texts --models some/one+decoder other --rule same_word --every-setting --windows 2"
    parser = argparse.ArgumentParser()
    add_command(parser.add_subparsers())
    options = parser.parse_args(["study", *asked, "--out", "mine"])
    assert (options.models, options.rule, options.windows) == (["some/one+decoder", "other"], ["same_word"], 2)
    given = Corpus("texts", "body", "line", 3, "-(.*)")
    every = Choice(
        ModelSpec("some/one", window_tokens=64), "", "", layout="separated", unit="words",
        settings=Settings("cosine", 0.1, with_special=False),
    )  # fmt: skip
    asked = of_study(given, every, (), CONTROLS, True, ["same_word"], windows=2, stable_roles=True)
    assert {part.partition("=")[0] for part in asked if part[:1] == "-"} == background.OPTIONS - {"--language"}
    with pytest.raises(InputError, match="reads no revision"):
        of_study(Corpus("texts"), Choice(ModelSpec("some/one", "main"), "", ""))


def test_the_columns_of_tables_are_offered_and_files_are_looked_for_once(
    studies: Path, tmp_path: Path, launched: list, monkeypatch: pytest.MonkeyPatch
) -> None:
    pd.DataFrame({"id": ["a"], "body": ["The tide rose."], "title": ["x"]}).to_parquet(tmp_path / "a.parquet")
    pd.DataFrame({"body": ["The boats rose."], "title": ["y"]}).to_csv(tmp_path / "b.csv", index=False)
    app = opened(CORPUS, corpus_source=starting.ON_DISK, corpus_path=str(tmp_path), tab="Start a study")
    assert app.selectbox(key="corpus_column").options == ["body", "title"]
    looked = Mock(wraps=corpus.found_files)
    monkeypatch.setattr(corpus, "found_files", looked)
    app.run()
    assert looked.call_count == 1
    app.selectbox(key="corpus_column").set_value("title").run()
    app.button(key="start-study").click().run()
    (command,) = launched
    assert command[command.index("--column") + 1] == "title"
    assert "--language" not in command


def test_texts_can_be_uploaded_and_are_kept_beside_the_studies(studies: Path, launched: list) -> None:
    app = opened(CORPUS)
    app.selectbox(key="corpus_source").set_value(starting.UPLOADED).run()
    app.file_uploader(key="corpus_upload").set_value(
        [("one.txt", b"The tide rose.", "text/plain"), ("../one.txt", b"The boats rose.", "text/plain")]
    ).run()
    assert not app.exception
    app.button(key="start-study").click().run()
    (command,) = launched
    assert [text.text for text in Corpus(command[4]).texts()] == ["The tide rose.", "The boats rose."]
    assert Path(command[4]).parent == studies / starting.UPLOADS
    assert list(known(STUDY)) == [Path(command[command.index("--out") + 1]).name]


def test_texts_of_ones_own_can_be_a_corpus(studies: Path, launched: list, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_texts, "folder", lambda: studies / "own")
    assert starting.MINE not in opened(CORPUS).selectbox(key="corpus_source").options
    own_texts.keep("The tide rose.")
    own_texts.keep("The boats rose.")
    app = opened(CORPUS)
    app.selectbox(key="corpus_source").set_value(starting.MINE).run()
    assert not app.exception
    app.button(key="start-study").click().run()
    (command,) = launched
    assert sorted(str(text.text) for text in Corpus(command[4]).texts()) == ["The boats rose.", "The tide rose."]


def test_a_study_that_a_link_leads_to_has_no_buttons_and_is_not_deleted(
    studies: Path, tmp_path: Path, launched: list
) -> None:
    elsewhere = shutil.copytree(OF_SAMPLES.folder, tmp_path / "elsewhere")
    run_folder.write_file(elsewhere / background.COMMAND, run_folder.to_json({"command": ["texts"]}))
    say(elsewhere, status="failed", message="The disk is full.")
    studies.mkdir()
    (studies / "linked").symlink_to(elsewhere)
    before = digests(elsewhere)
    app = opened(CORPUS)
    assert any("It lies elsewhere" in caption.value for caption in app.caption)
    assert not {"delete-study", "go-on"} & {button.key for button in app.button}
    for action in (background.delete, background.launch):
        with pytest.raises(InputError, match="is not among the results"):
            action(studies / "linked")
    assert digests(elsewhere) == before and launched == []


def test_a_study_is_cancelled_while_it_starts_and_while_it_counts(studies: Path) -> None:
    background.begin("mine", ["no such text", "--models", "default"])
    process = Progress(**run_folder.read_json(studies / "mine" / run_folder.PROGRESS)).pid
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
