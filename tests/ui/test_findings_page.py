"""The Findings page: the sample at the first start, folders in every state, its filters in the address, starting and deleting."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from attn_core.errors import InputError
from attn_core.findings.bars import BARS, BY_EFFECT
from attn_core.interventions.tables import effect_row
from attn_core.io.paths import last_part
from attn_core.io.tables import table_files
from attn_core.models.files import MINILM
from attn_core.reproduction.conclusions import standings
from attn_core.reproduction.opened import Reproduction, open_reproduction
from attn_core.runs import folder as files
from attn_core.runs.lock import lock
from attn_core.runs.ownership import read_command
from attn_core.ui.reproduction import choosing, showing
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
    text = told(app)
    own = [one for one in standings(open_reproduction(SAMPLE).verdicts) if one.control == "none"]
    assert [one.bars for one in own] == list(BARS)
    rows = told(run(**{"open-by-claim": "true"}))
    assert all(one.summary in rows for one in own)
    assert "joint test" in text


def test_controls_unfold_beside_their_model() -> None:
    folded, unfolded = run(), run(of_controls=["untrained twin", "permuted twin", "shuffled text"])
    assert not unfolded.exception and not unfolded.warning
    grids = [app.get("vega_lite_chart")[0].proto.alt for app in (folded, unfolded)]
    assert "12 rows of claims by 1 subjects" in grids[0] and "12 rows of claims by 4 subjects" in grids[1]


@pytest.mark.parametrize(
    ("label", "combinations"), [(BY_EFFECT["reach"].name, "30"), (BY_EFFECT["separators"].name, "4")]
)
def test_a_claim_opens_its_curve(label: str, combinations: str) -> None:
    app = run(row=label)
    assert not app.warning
    curve = specs(app)[1]
    titles = json.dumps(curve)
    assert f"{combinations} combinations of choices, by effect" in titles
    assert f":violet-badge[{label[:2]}]" in told(app)
    assert ("the paper" in titles) == (label == BY_EFFECT["reach"].name)


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


def test_four_models_stand_side_by_side(root: Path) -> None:
    made_up.of_four_models(root / "four")
    app = run(reproduction="four")
    assert "12 rows of claims by 4 subjects" in app.get("vega_lite_chart")[0].proto.alt
    first = next(one for one in standings(open_reproduction(SAMPLE).verdicts) if one.control == "none")
    assert first.summary not in told(app), "folded where nothing stands beside the grid"
    unfolded = run(reproduction="four", **{"open-by-claim": "true"})
    assert not unfolded.exception and first.summary in told(unfolded)


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


@pytest.mark.model
def test_texts_that_are_gone_or_others_are_told(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    places = {"gone": tmp_path / "nowhere", "others": tmp_path / "other.txt"}
    places["others"].write_text("Something else.", encoding="utf-8")
    monkeypatch.setattr(Reproduction, "source", lambda self, _corpus: str(places[self.folder.name]))
    for name, problem in (("gone", "There is no text at"), ("others", "have changed since")):
        copied(root, name)
        app = run(reproduction=name, read_claim="true")
        assert not app.exception and any(problem in caption.value for caption in app.caption), name


def test_a_model_that_failed_says_why(root: Path) -> None:
    sample = open_reproduction(SAMPLE)
    readings = sample.readings.copy()
    readings.loc[0, "problem"] = f"It has no {BAD}."
    copied(root, readings=readings)
    app = run(reproduction="mine")
    assert any("It has no" in caption.value and BAD not in caption.value for caption in app.caption)


def test_a_claim_that_is_not_asked_says_why(root: Path) -> None:
    verdicts = open_reproduction(SAMPLE).verdicts.copy()
    here = verdicts["claim"] == "C6"
    numbers = ["effect", "chance", "low", "high", *(name for name in verdicts if "difference" in name)]
    verdicts.loc[here, numbers] = float("nan")
    verdicts.loc[here, ["verdict", "reason"]] = "not asked", "There is no separator token in reach."
    verdicts.loc[here, ["learned", "language"]] = None
    copied(root, verdicts=verdicts)
    app = run(reproduction="mine", row=BY_EFFECT["separators"].name)
    assert "There is no separator token in reach." in told(app)
    assert "No choice gives a number here" in app.info[0].value


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


def test_the_plan_is_told_by_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []

    def planned(command: list[str], **_options: Any) -> subprocess.CompletedProcess:
        asked.append(command)
        return subprocess.CompletedProcess(command, 0, "MiniLM: 20 windows\nIn all about 3 min.\n", "")

    monkeypatch.setattr(background.subprocess, "run", planned)
    app = run()
    app.button(key="plan-reproduction").click().run()
    assert "--plan" in asked[0] and asked[0][3] == "reproduce"
    assert "In all about 3 min." in told(app)
    app.number_input(key="twins").set_value(1).run()
    assert "In all about 3 min." not in told(app), "it was told of something else"


def test_one_that_stopped_as_it_was_added_to_shows_what_was_there(root: Path) -> None:
    folder = copied(root)
    background._write_progress(folder, status="failed", message="The disk is full.", done=0.4)
    app = run(reproduction="mine")
    assert "The disk is full" in app.error[0].value
    assert len(app.get("vega_lite_chart")) == 2
    assert [button.key for button in app.button].count("delete-study") == 1


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


def test_patterns_of_the_same_texts_are_linked(root: Path, tmp_path: Path) -> None:
    fingerprint = open_reproduction(SAMPLE).corpora["fingerprint"].iloc[0]
    for name, print_ in (("same", fingerprint), ("other", "0")):
        folder = tmp_path / "patterns" / name
        told_there = {"corpus": {"fingerprint": print_}, "model": {"name": MINILM}}
        files.write_file(folder / files.MANIFEST, files.to_json(told_there))
        files.write_folder(folder / files.TABLES, {})

    linked: list[dict[str, Any]] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(showing.st, "page_link", lambda _page, **options: linked.append(options))
        run()
    assert [one["query_params"] for one in linked] == [{"scores": "same", "open-scores": "true"}]


def removed_heads(folder: Path, revision: str, fingerprint: str, **tables: pd.DataFrame) -> None:
    """What `ablate` would have written of two heads of MiniLM."""
    about = {
        "removed": "L3H10 L5H1",
        "texts": 6,
        "units": "texts",
        "units_read": 6,
        "bad_texts": 0,
        "replace": "zero",
        "model": MINILM,
    }
    settings = {"what": "heads", "heads": ["L3H10", "L5H1"], "replace": "zero"}
    files.write_file(
        folder / files.MANIFEST,
        files.to_json(
            {
                "format": "ablation 4",
                "model": {"name": MINILM, "revision": revision, "layers": 6, "heads": 12},
                "corpus": {"fingerprint": fingerprint, "source": "/where/novels"},
                "settings": settings,
            }
        ),
    )
    files.write_folder(folder / files.TABLES, table_files(tables, about))


def test_heads_that_were_removed_of_a_shown_model_are_told_with_their_numbers_and_linked(tmp_path: Path) -> None:
    sample = open_reproduction(SAMPLE)
    revision, fingerprint = sample.readings["revision"].iloc[0], sample.corpora["fingerprint"].iloc[0]
    row = effect_row("sentence embedding", np.random.default_rng(0).uniform(0.1, 0.2, (6, 21)))
    effects = {"effects": pd.DataFrame([row])}
    for name, of, texts in (
        ("same-texts", revision, fingerprint), ("novels", revision, "0"), ("other", "sha256:0", "0")
    ):  # fmt: skip
        removed_heads(tmp_path / "ablations" / name, of, texts, **effects)
    (tmp_path / "ablations" / "begun").mkdir()
    linked: list[dict[str, Any]] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(showing.st, "page_link", lambda _page, **options: linked.append(options))
        folded = run()
        assert [one["query_params"]["ablation"] for one in linked] == ["same-texts"], (
            "others are folded, these texts first"
        )
        assert "6 texts of novels" not in told(folded)
        linked.clear()
        app = run(**{"open-removed": "true"})
    same = {"model": MINILM, "open-ablation": "true", "off": "L3H10 L5H1", "replace": "zero"}
    assert [one["query_params"] for one in linked] == [same | {"ablation": name} for name in ("same-texts", "novels")]
    text = told(app)
    assert "6 texts of this corpus." in text and "6 texts of novels" in text
    assert f"moves by {100 * row['effect']:.2f}% [{100 * row['low']:.2f}, {100 * row['high']:.2f}]" in text
    assert f"of the same layers by {100 * row['chance_effect']:.2f}% [" in text and "not told apart from them" in text


def test_a_damaged_folder_of_removed_heads_gets_one_sentence(tmp_path: Path) -> None:
    sample = open_reproduction(SAMPLE)
    folder = tmp_path / "ablations" / "hurt"
    removed_heads(folder, sample.readings["revision"].iloc[0], "0", effects=pd.DataFrame({"quantity": ["x"]}))
    (folder / files.TABLES / "effects.parquet").write_bytes(b"")
    app = run()
    assert sum("damaged" in caption.value for caption in app.caption) == 1
