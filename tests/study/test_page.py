"""The Corpus page in its states: nothing yet, at work, finished, stopped, failed."""

import os
import re
import signal
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pandas as pd
import pytest
import streamlit as st
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
from attn_core.study.opened import open_study
from attn_core.study.reread import texts_again
from attn_core.study.runner import run_study
from attn_core.texts import own_texts
from attn_core.ui.findings.examples import link
from attn_core.ui.runs import background
from attn_core.ui.runs import corpus as corpus_choice
from attn_core.ui.runs.kinds import ELSEWHERE, STUDY
from attn_core.ui.widgets.address import KEPT
from attn_core.ui.widgets.escape import plain
from attn_core.ui.widgets.show import _in_percent, column_labels

HOLDER = """
import sys, time
from pathlib import Path
from attn_core.runs.lock import lock
with lock(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""
PAGE = Path(__file__).parents[2] / "pages" / "9_Corpus.py"
pytestmark = pytest.mark.model


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ATTN_CORE_STUDIES", str(tmp_path / "studies"))
    return tmp_path / "studies"


@pytest.fixture
def launched(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Commands that would have been started."""
    commands: list[list[str]] = []

    class Started:
        pid = 1 << 30

        def __init__(self, command: list[str], **_options) -> None:
            commands.append(command)

    monkeypatch.setattr(background.subprocess, "Popen", Started)
    return commands


def page(**address: str) -> AppTest:
    app = AppTest.from_file(str(PAGE), default_timeout=120)
    for name, value in address.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


def say(folder: Path, **what) -> None:
    files.write_file(folder / files.PROGRESS, files.to_json(asdict(Progress(**what))))


def test_the_sample_texts_can_be_started_at_once(root: Path, launched: list) -> None:
    app = page()
    assert not root.exists()
    app.button(key="start-study").click().run()
    (command,) = launched
    assert command[2:4] == ["attn_core", "study"]
    assert command[4].endswith("sample_texts")
    (folder,) = root.iterdir()
    assert [read_progress(one).status for one in STUDY.known().values()] == ["starting"]
    assert app.button(key="start-study").disabled
    assert (folder / background.COMMAND).is_file()


@pytest.mark.long
def test_what_a_study_will_take_is_told_before_it_starts(root: Path) -> None:
    app = page()
    app.button(key="plan-study").click().run(timeout=300)
    (line,) = [caption.value.replace("\\", "") for caption in app.caption if "read now in" in caption.value]
    told = re.search(r"11 texts, about (\d+) windows \((\d+) to (\d+)\): about .*, at most [\d.]+ MB on disk", line)
    assert told, line
    middle, least, most = map(int, told.groups())
    assert 11 <= middle <= 40 and least <= middle <= most
    assert not root.exists()
    assert app.button(key="start-study")


def test_a_finished_study_shows_its_curves(root: Path, tiny: ModelSpec, corpus_folder: Path, small) -> None:
    (corpus_folder / "zz.txt").write_text("Hm.")
    run_study(Corpus(str(corpus_folder)), tiny, root / "mine", small)
    app = page(**{"open-study-layers": "true"})
    headers = [header.value for header in app.header]
    assert headers[:3] == ["What these texts show", "Mean distance", "L1H1: pairs to read"]
    (about,) = [caption.value for caption in app.caption if caption.value.startswith("**mine**")]
    assert about.startswith("**mine** · 14 texts in ")
    assert f", 1 left out · {corpus_folder.name} · " in about
    layers = next(table.value for table in app.dataframe if "mean_distance_low" in table.value)
    expected = open_study(root / "mine").layers
    pd.testing.assert_frame_equal(layers, _in_percent(expected, column_labels(expected)))
    assert any("1 texts were left out" in expander.label for expander in app.expander)


def test_a_study_made_elsewhere_is_opened_by_its_folder(
    root: Path, tmp_path: Path, tiny: ModelSpec, corpus_folder: Path, small
) -> None:
    run_study(Corpus(str(corpus_folder)), tiny, tmp_path / "elsewhere", small)
    app = page()
    app.toggle(key="elsewhere").set_value(True).run()
    app.text_input(key="study_folder").set_value(str(tmp_path / "elsewhere")).run()
    assert "Mean distance" in [header.value for header in app.header]
    for wrong, says in {
        str(tmp_path): "holds no study",
        "~nobody-of-that-name/x": "no folder",
        "x" * 300: "no folder",
    }.items():
        app.text_input(key="study_folder").set_value(wrong).run()
        assert not app.exception
        assert says in app.warning[0].value


@pytest.mark.parametrize(
    ("name", "table", "text_alone"),
    [
        ("2_Distances", "layers", None),
        ("3_Specialization", "features", None),
        ("4_Anchor_tokens", "anchors", "The heads around one token"),
    ],
)
def test_a_study_stands_in_place_of_the_text(
    root: Path, tiny: ModelSpec, corpus_folder: Path, small, name: str, table: str, text_alone: str | None
) -> None:
    study = run_study(Corpus(str(corpus_folder)), tiny, root / "mine", small)
    app = AppTest.from_file(str(PAGE.with_name(f"{name}.py")), default_timeout=120)
    app.query_params[f"open-{table}"] = "true"
    app.run()
    of_text = [frame.value for frame in app.dataframe]
    assert text_alone is None or text_alone in [header.value for header in app.header]
    app.selectbox(key="numbers").set_value("mine").run()
    assert not app.exception
    assert not app.warning
    assert any(caption.value.startswith("**mine** · 14 texts") for caption in app.caption)
    assert text_alone not in [header.value for header in app.header]
    shown = [frame.value for frame in app.dataframe]
    assert not any(one.equals(other) for one in of_text for other in shown if len(one))
    if table == "layers":
        assert shown[0]["mean_distance"].tolist() == study.layers["mean_distance"].tolist()
    elif table == "features":
        features = next(one for one in shown if "role_rule" in one)
        assert features["repetition_share"].tolist() == (100 * study.heads["repetition_share"]).tolist()
    else:
        assert shown[-1]["coverage"].tolist() == (100 * study.heads["anchor_coverage"]).tolist()
    heads = study.shape[0] * study.shape[1]
    assert len(app.selectbox(key="a").options) == heads


def test_two_studies_of_one_name_are_both_offered(
    root: Path, tmp_path: Path, tiny: ModelSpec, corpus_folder: Path, small
) -> None:
    for folder in (root / "mine", tmp_path / "elsewhere" / "mine"):
        run_study(Corpus(str(corpus_folder)), tiny, folder, small)
    app = AppTest.from_file(str(PAGE.with_name("2_Distances.py")), default_timeout=120)
    app.session_state[STUDY.elsewhere] = str(tmp_path / "elsewhere" / "mine")
    app.run()
    assert app.selectbox(key="numbers").options == ["the text", "mine", str(tmp_path / "elsewhere" / "mine")]


def own_files(app: AppTest, path: Path) -> AppTest:
    app.selectbox(key="corpus_source").set_value(corpus_choice.ON_DISK).run()
    app.text_input(key="corpus_path").set_value(str(path)).run()
    assert not app.exception
    return app


def test_the_columns_of_tables_are_offered(root: Path, tmp_path: Path, launched: list) -> None:
    pd.DataFrame({"id": ["a"], "body": ["The tide rose."], "title": ["x"]}).to_parquet(tmp_path / "a.parquet")
    pd.DataFrame({"body": ["The boats rose."], "title": ["y"]}).to_csv(tmp_path / "b.csv", index=False)
    app = own_files(page(), tmp_path)
    assert app.selectbox(key="corpus_column").options == ["body", "title"]
    app.selectbox(key="corpus_column").set_value("title").run()
    app.button(key="start-study").click().run()
    (command,) = launched
    assert command[command.index("--column") + 1] == "title"
    assert "--language" not in command


def test_tables_without_a_common_column_are_refused_before_the_start(root: Path, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("body\nx\n")
    (tmp_path / "b.csv").write_text("title\nx\n")
    app = own_files(page(), tmp_path)
    assert any("No column of texts is in all 2 tables" in caption.value for caption in app.caption)
    assert "start-study" not in [button.key for button in app.button]


def test_texts_can_be_uploaded_and_are_kept_beside_the_studies(root: Path, launched: list) -> None:
    app = page()
    app.selectbox(key="corpus_source").set_value(corpus_choice.UPLOADED).run()
    app.file_uploader(key="corpus_upload").set_value(
        [("one.txt", b"The tide rose.", "text/plain"), ("../one.txt", b"The boats rose.", "text/plain")]
    ).run()
    assert not app.exception
    app.button(key="start-study").click().run()
    (command,) = launched
    assert [text.text for text in Corpus(command[4]).texts()] == ["The tide rose.", "The boats rose."]
    assert Path(command[4]).parent == root / corpus_choice.UPLOADS
    assert list(STUDY.known()) == [files_name(command)]


def test_texts_of_ones_own_can_be_a_corpus(root: Path, launched: list, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_texts, "folder", lambda: root / "own")
    assert corpus_choice.MINE not in page().selectbox(key="corpus_source").options
    own_texts.keep("The tide rose.", "Tide")
    own_texts.keep("The boats rose.", "Boats")
    app = page()
    app.selectbox(key="corpus_source").set_value(corpus_choice.MINE).run()
    assert not app.exception
    app.button(key="start-study").click().run()
    (command,) = launched
    assert sorted(str(text.text) for text in Corpus(command[4]).texts()) == ["The boats rose.", "The tide rose."]


def files_name(command: list[str]) -> str:
    return Path(command[command.index("--out") + 1]).name


def test_a_failed_study_is_started_anew_or_deleted(root: Path, launched: list) -> None:
    say(root / "mine", status="failed", message="The disk is full.")
    files.write_file(root / "yours" / background.COMMAND, files.to_json({"command": ["texts"]}))
    files.write_folder(files.shard_path(root / "mine", 0), {"texts.parquet": b""})
    (root / "yours" / background.COMMAND).rename(root / "mine" / background.COMMAND)  # it works where it lies by now
    app = page()
    app.button(key="start-anew-study").click().run()
    assert launched[0][4:7] == ["texts", "--out", str(root / "mine")]
    assert not (root / "mine" / files.SHARDS).exists()
    say(root / "mine", status="failed", message="The disk is full.")
    app = page()
    app.button(key="delete-study").click().run()
    assert not app.exception
    assert not (root / "mine").exists()
    assert app.button(key="start-study")


def foreign(folder: Path) -> Path:
    """A folder of another program, with files that are called as ours are."""
    for name, content in {
        "manifest.json": "{}",
        "command.json": "{}",
        "progress.json": "[1]",
        "log.txt": "mine",
        "lock": "mine",
        "shards/000000/data.bin": "mine",
        "shards/a/b/c.txt": "mine",
        "examples/one.txt": "mine",
        "tables/heads.csv": "mine",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_nothing_is_deleted_of_a_folder_that_this_program_did_not_write(
    root: Path, tmp_path: Path, launched: list
) -> None:
    root.mkdir()
    for folder in (foreign(root / "theirs"), foreign(tmp_path / "elsewhere")):
        before = contents(folder)
        for action in (background.delete, background.start_anew, background.launch):
            with pytest.raises(InputError):
                action(folder)
        with pytest.raises(InputError):
            run_study(Corpus("no such text"), ModelSpec(), folder)
        assert contents(folder) == before
    assert launched == []


def test_a_study_that_lies_elsewhere_has_no_buttons_and_is_not_deleted(
    root: Path, tmp_path: Path, tiny: ModelSpec, corpus_folder: Path, small, launched: list
) -> None:
    """Be it named by its folder, or by a link below the root."""
    elsewhere = run_study(Corpus(str(corpus_folder)), tiny, tmp_path / "elsewhere", small).folder
    files.write_file(elsewhere / background.COMMAND, files.to_json({"command": ["texts"]}))
    say(elsewhere, status="failed", message="The disk is full.")
    root.mkdir()
    (root / "linked").symlink_to(elsewhere)
    before = contents(elsewhere)
    for folder in (elsewhere, root / "linked"):
        app = AppTest.from_file(str(PAGE), default_timeout=120)
        app.session_state["study"] = corpus_choice_of(folder, root)
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


def corpus_choice_of(folder: Path, root: Path) -> str:
    return folder.name if folder.parent == root else ELSEWHERE


def test_a_finished_study_is_deleted_and_what_is_not_its_own_stays_and_is_told(
    root: Path, tmp_path: Path, tiny: ModelSpec, corpus_folder: Path, small
) -> None:
    run_study(Corpus(str(corpus_folder)), tiny, root / "whole", small)
    page().button(key="delete-study").click().run()
    assert not (root / "whole").exists()
    study = run_study(Corpus(str(corpus_folder)), tiny, root / "mine", small).folder
    kept = ["notes.txt", "tables/notes.csv", "shards/000000/notes.txt", "shards/a copy/windows.parquet"]
    for name in kept:
        (study / name).parent.mkdir(exist_ok=True)
        (study / name).write_text("mine")
    (tmp_path / "far.csv").write_text("far")
    (study / "tables" / "heads.csv").unlink()
    (study / "tables" / "heads.csv").symlink_to(tmp_path / "far.csv")
    app = page()
    app.button(key="delete-study").click().run()
    assert not app.exception
    assert sorted(contents(study)) == sorted(kept)
    assert (tmp_path / "far.csv").read_text() == "far"
    (told,) = [plainly(info.value) for info in app.info if "stays" in info.value]
    assert all(name in told for name in ("notes.txt", "tables/notes.csv", "shards/000000/notes.txt", "shards/a copy"))
    assert "mine" not in list(STUDY.known())


def plainly(markdown: str) -> str:
    return markdown.replace("\\", "")


def test_nothing_is_lost_where_a_study_cannot_be_started_anew(root: Path, launched: list) -> None:
    """Notes beside it would be in its way once its manifest is gone."""
    say(root / "mine", status="failed", message="The disk is full.")
    files.write_file(root / "mine" / background.COMMAND, files.to_json({"command": ["texts"]}))
    files.write_folder(files.shard_path(root / "mine", 0), {"texts.parquet": b"counted"})
    (root / "mine" / "notes.txt").write_text("mine")
    before = contents(root / "mine")
    with pytest.raises(InputError, match=r"notes.txt in mine would be in the way"):
        background.start_anew(root / "mine")
    assert contents(root / "mine") == before
    assert launched == []


def test_a_study_at_work_is_not_deleted(root: Path) -> None:
    say(root / "mine", status="failed", message="The disk is full.")
    with lock(root / "mine"):
        app = page()
        app.button(key="delete-study").click().run()
    assert any("is at work" in warning.value and "cancel it first" in warning.value for warning in app.warning)
    assert (root / "mine").is_dir()


def test_a_finished_study_is_shown_on_the_other_pages_and_says_its_intervals(
    root: Path, tiny: ModelSpec, corpus_folder: Path, small, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = run_study(Corpus(str(corpus_folder)), tiny, root / "mine", small)
    app = page(**{"open-rows": "true"})
    first = study.layers.iloc[0]
    for name, number in (("head_overlap", ".1%"), ("mean_distance", ".1f"), ("anchor_uniqueness", ".1%")):
        low, high = (format(first[f"{name}_{end}"], number) for end in ("low", "high"))
        wanted = f"{first[name]:{number}} [{low}, {high}] in layer 1"
        assert any(wanted in caption.value for caption in app.caption), name
    led: list[tuple[object, object]] = []
    monkeypatch.setattr(st, "switch_page", lambda page: led.append((page, st.session_state[KEPT]["numbers"])))
    app.button(key="show-everywhere").click().run()
    assert led == [("pages/2_Distances.py", ["mine"])]
    heads = AppTest.from_file(str(PAGE.with_name("1_Heads.py")), default_timeout=120)
    heads.session_state["numbers"] = "mine"
    heads.run()
    assert any("Not from the study **mine**" in caption.value for caption in heads.caption)


@pytest.mark.long
@pytest.mark.parametrize("name", ["9_Corpus", "2_Distances", "3_Specialization", "4_Anchor_tokens"])
def test_a_damaged_study_is_a_sentence_on_every_page(
    root: Path, tiny: ModelSpec, corpus_folder: Path, small, name: str
) -> None:
    """A study is damaged in each of its parts, as it lies there and while it is open."""
    run_study(Corpus(str(corpus_folder)), tiny, root / "mine", small)
    app = AppTest.from_file(str(PAGE.with_name(f"{name}.py")), default_timeout=120)
    app.query_params["numbers"] = "mine"
    app.run()
    for part in (
        "tables/heads.parquet",
        "tables/provenance.json",
        "tables/checksums.json",
        "manifest.json",
        "progress.json",
    ):
        kept = (root / "mine" / part).read_bytes()
        flipped = bytes([kept[0] ^ 1]) + kept[1:]
        for data in (b"", kept[: len(kept) // 2], flipped, None) if name == "9_Corpus" else (flipped,):
            (root / "mine" / part).unlink()
            if data is not None:
                (root / "mine" / part).write_bytes(data)
            for visit in (app, AppTest.from_file(str(PAGE.with_name(f"{name}.py")), default_timeout=120)):
                visit.query_params["numbers"] = "mine"
                visit.run()
                assert not visit.exception, (part, data)
            (root / "mine" / part).write_bytes(kept)


@pytest.mark.parametrize("path", ["~nobody-of-that-name/x", "/proc", "x" * 5000, "a\0b"])
def test_a_path_that_makes_no_sense_is_a_sentence(root: Path, path: str) -> None:
    app = page()
    app.selectbox(key="corpus_source").set_value(corpus_choice.ON_DISK).run()
    app.text_input(key="corpus_path").set_value(path).run()
    assert not app.exception
    assert any(caption.value.startswith(":material/info:") for caption in app.caption)


def test_a_link_to_a_study_that_is_not_here_says_so(root: Path) -> None:
    app = AppTest.from_file(str(PAGE.with_name("2_Distances.py")), default_timeout=120)
    app.query_params["numbers"] = "theirs"
    app.run()
    assert "asks for the study theirs" in app.warning[0].value
    assert app.header


def test_a_study_hides_a_text_that_cannot_be_shown(root: Path, tiny: ModelSpec, corpus_folder: Path, small) -> None:
    """The text is still refused, and what was last shown is still there, once the study makes way for it."""
    run_study(Corpus(str(corpus_folder)), tiny, root / "mine", small)
    app = AppTest.from_file(str(PAGE.with_name("2_Distances.py")), default_timeout=120)
    app.query_params["numbers"] = "mine"
    app.run()
    app.selectbox(key="text").set_value("My own text").run()
    app.text_area(key="own_text").set_value("Hi").run()
    app.toggle(key="special").set_value(False).run()
    assert not app.exception
    assert not app.warning
    app.selectbox(key="numbers").set_value("the text").run()
    assert not app.exception
    assert "Still showing" in app.warning[0].value


def test_a_page_about_a_single_text_keeps_to_it(root: Path, tiny: ModelSpec, corpus_folder: Path, small) -> None:
    run_study(Corpus(str(corpus_folder)), tiny, root / "mine", small)
    app = AppTest.from_file(str(PAGE.with_name("1_Heads.py")), default_timeout=120)
    app.query_params["numbers"] = "mine"
    app.run()
    assert not app.exception
    assert any("The study shows on Distances" in caption.value for caption in app.caption)
    assert len(app.selectbox(key="a").options) == 72


def test_a_study_at_work_says_what_it_is_about(root: Path, tiny: ModelSpec, corpus_folder: Path, small) -> None:
    run_study(Corpus(str(corpus_folder)), tiny, root / "mine", small)
    say(root / "mine", status="running", done=0.25, texts=3, windows=7, rate=2.0, left_seconds=90.0)
    with lock(root / "mine"):
        app = page()
    assert any(
        f"{corpus_folder.name} · " in caption.value and "scalar product" in caption.value for caption in app.caption
    )


def test_a_killed_study_is_told_from_one_at_work(root: Path) -> None:
    say(root / "mine", status="running", done=0.25, texts=3, windows=7, rate=2.0, left_seconds=90.0)
    (root / "mine" / background.LOG).write_text("one\nMemoryError\n")
    assert "MemoryError" in page().warning[0].value
    with lock(root / "mine"):
        app = page()
        assert not app.warning
        assert app.button(key="cancel-study")


def test_a_folder_of_a_model_is_named_by_its_whole_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command runs in the project's folder, wherever the dashboard was started."""
    (tmp_path / "mine").mkdir()
    monkeypatch.chdir(tmp_path)
    assert background.of_model(ModelSpec("mine")) == ["--model", str(tmp_path / "mine")]
    assert background.of_model(ModelSpec("some/one", "main")) == ["--model", "some/one", "--revision", "main"]


def test_a_study_is_cancelled_while_it_starts_and_while_it_counts(root: Path) -> None:
    background.begin(STUDY, "mine", ["no such text", "--model", "default"])
    process = Progress(**files.read_json(root / "mine" / files.PROGRESS)).pid
    os.kill(process, signal.SIGSTOP)  # so that it is still starting however long the page takes
    app = page()
    app.button(key="cancel-study").click().run()
    os.kill(process, signal.SIGCONT)
    assert os.waitpid(process, 0)[1] == signal.SIGTERM
    assert read_progress(root / "mine").status == "cancelled"
    assert "goes on where it was" in page().warning[0].value
    assert not background.stop(root / "mine")
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(root / "mine")], stdout=subprocess.PIPE) as holder:
        assert holder.stdout and holder.stdout.readline() == b"held\n"
        say(root / "mine", status="running", done=0.25, pid=holder.pid)
        assert background.stop(root / "mine")
        assert holder.wait(20) == -signal.SIGTERM
        assert read_progress(root / "mine").status == "interrupted"  # a study would have told more


def test_a_process_of_another_machine_is_never_ended_here(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process of this machine may have its number."""
    (root / "mine").mkdir(parents=True)
    say(root / "mine", status="starting", pid=os.getpid(), host="elsewhere")
    monkeypatch.setattr(os, "kill", lambda *_: pytest.fail("a process of this machine was ended"))
    monkeypatch.setattr(
        background, "read_progress", lambda folder: Progress(**files.read_json(folder / files.PROGRESS))
    )
    assert not background.stop(root / "mine")


@pytest.mark.parametrize(
    ("path", "says"),
    [("", "Name a folder"), ("/nowhere/at/all", "There is no text at"), (str(PAGE), "cannot be read as texts")],
)
def test_a_corpus_that_cannot_be_read_is_said_before_the_start(root: Path, path: str, says: str) -> None:
    app = page()
    app.selectbox(key="corpus_source").set_value("A folder or file on this machine").run()
    if path:
        app.text_input(key="corpus_path").set_value(path).run()
    assert not app.exception
    assert any(says in caption.value.replace("\\", "") for caption in app.caption)


def test_a_claim_leads_to_pairs_and_a_pair_to_its_text(root: Path, tiny: ModelSpec, corpus_folder: Path, small) -> None:
    study = run_study(Corpus(str(corpus_folder)), tiny, root / "mine", small)
    for claim in CLAIMS:
        examples = examples_of_claim(claim, study.examples, study.heads, study.layers)
        assert len(examples) == 3 and examples.index.is_unique, claim
    row = study.examples.sort_values(["window", "layer"]).iloc[-1]
    app = AppTest.from_file(str(PAGE.with_name("1_Heads.py")), default_timeout=120)
    for name, value in link(study, row, "mine").items():
        app.query_params[name] = value
    app.run()
    assert not app.exception and not app.warning
    assert app.number_input(key="study_text").value == row["text"] + 1
    assert app.selectbox(key="a").value == str(Head.of_row(row["layer"], row["head"]))
    framed = next(text.value for text in app.markdown if ":violet-background" in text.value)
    assert all(f"**{plain(row[token])}**" in framed for token in ("first_text", "second_text"))
    app = page(**{"open-rows": "true"})
    app.text_input(key="find-corpus").set_value("boat").run()
    shown = [text.value for text in app.markdown if ":violet-background" in text.value]
    assert any("boat" in text for text in shown)
    (corpus_folder / "000.txt").write_text("Another text.")
    with pytest.raises(InputError, match="have changed since the study was made"):
        texts_again(study.manifest, {1})
