"""A reproduction counts what a loop over texts counts, and ends the same however often it was cut off."""

import io
import random
import shlex
import shutil
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from attn_core import analyze, open_reproduction
from attn_core.__main__ import _parser, main
from attn_core.analysis.one_text import analyze_reading
from attn_core.analysis.reading import read
from attn_core.analysis.references import read_references
from attn_core.comparison.differences import OUTCOMES
from attn_core.errors import InputError, ModelError, RunError
from attn_core.findings.bars import BARS
from attn_core.io.paths import called
from attn_core.measures.effects import effect_values
from attn_core.measures.tally import MIN_PAIRS, Tally
from attn_core.measures.window_counts import count_window
from attn_core.models.controls import CONTROLS, controlled
from attn_core.models.files import ModelSpec
from attn_core.models.loading import load
from attn_core.report import commands
from attn_core.reproduction import worker
from attn_core.reproduction.choices import CHOICES, as_columns, readings
from attn_core.reproduction.named_models import name_of, spec_of
from attn_core.reproduction.opened import Reproduction
from attn_core.reproduction.runner import Asked, reproduce
from attn_core.runs import folder as files
from attn_core.runs.job import Piece
from attn_core.similarity.strong_pairs import Settings
from attn_core.study.corpus import Corpus
from attn_core.texts.documents import read_document
from tests.families import SERVED, save_tiny
from tests.quick import quick_only
from tests.reproduction.conftest import SMALL
from tests.study.made_up import write_corpus


def rows_of(reproduction: Reproduction, settings: Settings, layout: str, control: str = "none") -> pd.DataFrame:
    """The rows of one combination, by effect."""
    rows = reproduction.verdicts[reproduction.verdicts["control"] == control]
    for name, value in as_columns(settings, layout).items():
        rows = rows[rows[name] == value]
    return rows.set_index("effect_name")


@pytest.mark.parametrize("number", quick_only(range(10), 0, 1, 2))
def test_a_loop_over_texts_gives_the_same_numbers(number: int, whole: Path, tiny: ModelSpec, novels: Corpus) -> None:
    drawn = random.Random(number)
    how = drawn.choice(readings(CONTROLS, twins=1))
    settings = drawn.choice(CHOICES)
    spec, layout = controlled(how.control, tiny, how.shown_layout)
    texts: dict[bool, set[str]] = {True: set(), False: set()}
    tally, few = Tally(), Tally()  # windows of fewer pairs count where no other does
    model = load(spec)
    pieces = [Piece(text.number, text.name, 0, text.text, None, text.group) for text in novels.texts()]
    for piece in pieces:
        own = read(model, read_document(piece.text or ""), layout, unit=settings.unit)
        references = read_references(model, own.document, layout, settings.unit)
        for window in analyze_reading(own, settings, references=references).measured[: SMALL.windows]:
            enough = window.pairs.shape[2] >= MIN_PAIRS
            (tally if enough else few).add_all(count_window(window).counts)
            texts[enough].add(piece.name)
    kept = bool(texts[True])
    values, chance = effect_values(tally if kept else few, (3, 4))
    rows = rows_of(open_reproduction(whole), settings, how.shown_layout, how.control or "none")
    asked = rows[rows["verdict"] != "not asked"]
    assert len(asked) >= 7
    for name, row in asked.iterrows():
        assert row["effect"] == pytest.approx(values[str(name)][0], rel=1e-6, abs=1e-6), name
        assert row["chance"] == pytest.approx(chance[str(name)][0], rel=1e-6, abs=1e-6), name
    assert set(asked["texts"]) == {len(texts[kept])}


def test_every_combination_has_its_row(whole: Path) -> None:
    verdicts = open_reproduction(whole).verdicts
    combinations = verdicts.groupby("control").apply(
        lambda rows: len(rows.drop_duplicates(["measure", "share", "special", "unit", "layout"])), include_groups=False
    )
    assert combinations.to_dict() == {"none": 90, "permuted": 90, "shuffled": 45, "untrained": 90}
    assert len(verdicts) == (90 + 90 + 90 + 45) * len(BARS)
    assert (verdicts["low"] <= verdicts["high"])[verdicts["low"].notna()].all()


def test_a_model_is_held_against_its_controls(whole: Path) -> None:
    verdicts = open_reproduction(whole).verdicts
    own = verdicts[(verdicts["control"] == "none") & (verdicts["verdict"] != "not asked")]
    own = own[own["untrained_difference"].notna()]  # the smallest shares leave too few texts for one
    assert len(own) > 500
    plain = own[own["layout"] == "plain"]
    assert plain["language"].isin(["language", *OUTCOMES[:-1]]).all()
    assert own[own["layout"] == "separated"]["shuffled_difference"].isna().all()
    beside = ["claim", "effect_name", "measure", "share", "special", "unit", "layout"]
    twin = verdicts[verdicts["control"] == "untrained"].set_index(beside)["effect"]
    apart = own.set_index(beside)["effect"] - twin
    pd.testing.assert_series_equal(
        own.set_index(beside)["untrained_difference"].dropna(),
        apart.reindex(own.set_index(beside).index).dropna(),
        check_names=False,
    )


def test_a_curve_is_of_the_paper_s_measure_and_its_choices_explain_parts_of_one_sum(whole: Path) -> None:
    reproduction = open_reproduction(whole)
    own = reproduction.curves[reproduction.curves["control"] == "none"].set_index("effect_name")
    combinations = own["combinations"].to_dict()
    assert combinations == {name: 4 if name.startswith("separator") else 30 for name in combinations}
    rows = reproduction.verdicts.query("control == 'none' and measure == 'dot' and effect_name == 'later_reach'")
    assert own.loc["later_reach", "median"] == pytest.approx(rows["effect"].median())
    parts = own[["by_share", "by_pairs", "by_layout"]].fillna(0).sum(axis=1)
    assert parts.between(0, 1 + 1e-9).all(), "a full factorial: main effects are parts of one sum of squares"
    assert own.loc["separators", ["by_share", "by_measure"]].isna().all()


@pytest.mark.long
def test_a_model_and_a_corpus_may_come_later_and_one_that_fails_says_why(
    whole: Path, tiny: ModelSpec, novels: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = shutil.copytree(whole, tmp_path / "copy")
    other = ModelSpec(str(save_tiny(tmp_path / "broken", SERVED["bert"], seed=1)))
    capture, read = worker.capture, iter(range(1000))

    def failing(model, passages):
        if model.spec.name == other.name and next(read) == 2:
            raise ModelError("The model's outputs are not finite numbers (NaN): its weights may be damaged.")
        return capture(model, passages)

    monkeypatch.setattr(worker, "capture", failing)
    letters = Corpus(str(write_corpus(tmp_path / "letters", texts=4, sentences=4)))
    reproduction = reproduce(Asked(letters, (other, tiny), controls=("shuffled",)), out, SMALL)
    verdicts = reproduction.verdicts
    failed = verdicts[verdicts["model"] == called(other.name)]
    assert set(failed["verdict"]) == {"not counted"}
    assert failed["reason"].str.contains("not finite").all()
    assert set(reproduction.failed["model"]) == {called(other.name)}
    fine = verdicts[
        (verdicts["model"] == called(tiny.name)) & (verdicts["corpus"] == "letters") & (verdicts["control"] == "none")
    ]
    assert fine["effect"].notna().sum() > 500
    assert fine["untrained_difference"].isna().all() and fine["shuffled_difference"].notna().any()
    before = open_reproduction(whole).verdicts
    same = verdicts[verdicts["corpus"] == "novels"].reset_index(drop=True)
    pd.testing.assert_frame_equal(same, before)
    assert set(reproduction.corpora["corpus"]) == {"novels", "letters"}


def test_a_model_that_has_changed_is_refused_however_often_it_is_tried(novels: Corpus, tmp_path: Path) -> None:
    model, out = save_tiny(tmp_path / "model", SERVED["bert"]), tmp_path / "out"
    asked = Asked(Corpus(novels.source, limit=2), (ModelSpec(str(model)),), controls=())
    before = reproduce(asked, out, SMALL).verdicts
    config, first = model / "config.json", next(out.rglob(files.shard_path(out, 0).name))
    usual = config.read_text(encoding="utf-8")
    shutil.rmtree(first)
    config.write_text(usual.replace('"gelu"', '"relu"'), encoding="utf-8")
    for _ in range(2):
        with pytest.raises(InputError, match="readings of another"):
            reproduce(asked, out, SMALL)
        assert not first.exists()
    config.write_text(usual, encoding="utf-8")
    pd.testing.assert_frame_equal(reproduce(asked, out, SMALL).verdicts, before)


def test_a_layout_that_a_model_cannot_read_is_not_asked(novels: Corpus, tmp_path: Path) -> None:
    spec = ModelSpec(str(save_tiny(tmp_path / "gpt2", SERVED["gpt2"], sep_token=None)))
    reproduction = reproduce(Asked(novels, (spec,), controls=()), tmp_path / "out", SMALL)
    separated = reproduction.verdicts[reproduction.verdicts["layout"] == "separated"]
    assert set(separated["verdict"]) == {"not asked"}
    assert separated["reason"].str.contains("no separator token: choose the plain layout").all()
    assert reproduction.verdicts[reproduction.verdicts["layout"] == "plain"]["effect"].notna().any()


def test_what_cannot_begin_is_told_in_a_sentence(
    whole: Path, tiny: ModelSpec, novels: Corpus, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, out = novels.source, tmp_path / "new"
    assert main(["reproduce", source, "--out", str(out), "--models", "no-such/model"]) == 2
    assert "no-such/model is not on this machine yet" in capsys.readouterr().err
    assert not out.exists()
    with pytest.raises(RunError, match="other texts under the name novels"):
        reproduce(Asked(replace(novels, limit=2), (tiny,)), shutil.copytree(whole, tmp_path / "copy"), SMALL)


@pytest.mark.long
def test_another_stack_and_other_windows_are_models_of_their_own(novels: Corpus, tmp_path: Path) -> None:
    model = str(save_tiny(tmp_path / "bart", SERVED["bart"]))
    out, names = tmp_path / "out", ("bart", "bart, decoder, windows of 64 tokens")
    for more in ([], ["--stack", "decoder", "--window-tokens", "64"]):
        given = ["--controls", "--models", model, "--windows", "1", "--limit", "2", "--out", str(out)]
        assert main(["reproduce", novels.source, *given, *more]) == 0
    reproduction = open_reproduction(out)
    assert set(reproduction.models) == {*names}
    effects = reproduction.verdicts.set_index(["model", "layout"]).loc[:, "effect"]
    assert effects[names[0]].notna().any() and effects[names[1]].notna().any()
    *told, _ = commands.of_reproduction(reproduction).splitlines()
    asked = [_parser().parse_args(shlex.split(line)[3:]) for line in told]
    assert {(one.models[0], one.stack, one.window_tokens) for one in asked} == {
        ("bart", "encoder", 512), ("bart", "decoder", 64),
    }  # fmt: skip
    for name in names:
        assert name_of(spec_of(name)) == name


def test_its_files_are_what_it_shows(whole: Path) -> None:
    reproduction = open_reproduction(whole)
    exported = reproduction.files()
    assert {"verdicts.csv", "verdicts.parquet", "curves.csv", "manifest.json", "provenance.json"} <= exported.keys()
    told = pd.read_csv(io.BytesIO(exported["verdicts.csv"]), keep_default_na=False)
    assert told["verdict"].tolist() == reproduction.verdicts["verdict"].tolist()
    assert "Reproduction" in repr(reproduction)


def test_a_plan_counts_the_windows_and_writes_nothing(
    tiny: ModelSpec, novels: Corpus, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert main(["reproduce", novels.source, "--out", str(out), "--models", tiny.name, "--plan", "--workers", "2"]) == 0
    told = capsys.readouterr().out
    windows = sum(len(analyze(text.text or "", tiny).windows) for text in novels.texts())
    assert f"{windows} windows, read 15 times" in told
    assert "with 2 workers" in told
    assert not out.exists()
