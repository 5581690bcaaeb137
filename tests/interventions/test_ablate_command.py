"""The command `ablate`: its tables against the functions below them, resuming, saving, and bad input."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from attn_core.__main__ import main
from attn_core.head import Head
from attn_core.interventions.ablation import Ablation
from attn_core.interventions.effects import effects_of, estimated_importance
from attn_core.interventions.orders import LEAST, at_random
from attn_core.interventions.runner import run_ablation
from attn_core.interventions.worker import AblationSettings
from attn_core.models.files import ModelSpec
from attn_core.models.loading import load
from attn_core.models.records import LoadedModel
from attn_core.models.removal import named_heads
from attn_core.study.corpus import Corpus
from attn_core.study.runner import run_study
from attn_core.study.settings import StudySettings
from attn_core.texts.documents import read_document
from attn_core.texts.passages import Passage, read_passages
from tests.families import Folder
from tests.fixtures import Refused
from tests.interventions.test_effects import measured_importance
from tests.quick import quick_only
from tests.study.made_up import SENTENCES, digests, write_corpus

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("ablated") / "texts", texts=8)


@pytest.fixture(scope="module")
def labels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rows = [f'"{SENTENCES[n % 4]}",{"first" if n % 4 < 2 else "second"}' for n in range(12)]
    path = tmp_path_factory.mktemp("labels") / "labels.csv"
    path.write_text("\n".join(["text,label", *rows]) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def curved(texts: Path, labels: Path, tiny: ModelSpec, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("curve") / "out"
    command = ["ablate", str(texts), "--curve", "--labels", str(labels), "--out", str(out)]
    assert main([*command, "--model", tiny.name]) == 0
    return out


def passages_of(model: LoadedModel, folder: Path) -> list[Passage]:
    """The one window of each text."""
    documents = [read_document(file.read_text("utf-8"), "auto") for file in sorted(folder.iterdir())]
    return [one for document in documents for one in read_passages(document, model.tokenizer, model.max_tokens)]


def pruning_curve(model: LoadedModel, passages: list[Passage], order: list[Head], counts: list[int]) -> np.ndarray:
    """Effect of removing the first heads of an order together, (passage, count)."""
    return np.stack([effects_of(model, one, [order[:count] for count in counts]).embedding for one in passages])


def test_importance_is_measured_and_estimated_as_alone(curved: Path, texts: Path, tiny: ModelSpec) -> None:
    model = load(tiny)
    passages = passages_of(model, texts)
    found = Ablation.open(curved).table("importance")
    assert found["effect"].to_numpy() == pytest.approx(
        np.mean([measured_importance(model, one) for one in passages], axis=0).ravel()
    )
    estimated = np.mean([estimated_importance(model, passage) for passage in passages], axis=0)
    assert found["estimated"].to_numpy() == pytest.approx(estimated.ravel(), rel=1e-5)
    assert (found["low"] < found["effect"]).all()
    accuracy = Ablation.open(curved).table("accuracy")
    assert accuracy["removed"].tolist() == [0, 1, 2, 3, 4, 6, 9, 12]
    assert (accuracy["chance_accuracy"] == 0.5).all() and accuracy["change"][0] == 0


def test_groups_of_texts_are_what_means_are_over(tiny: ModelSpec, tmp_path: Path) -> None:
    for name in "abcd":
        write_corpus(tmp_path / "texts" / name, texts=2)
    command = ["ablate", str(tmp_path / "texts"), "--heads", "L1H1", "--groups", "folder"]
    assert main([*command, "--out", str(tmp_path / "out"), "--model", tiny.name]) == 0
    found = Ablation.open(tmp_path / "out").provenance
    assert (found["texts"], found["units_read"]) == (8, 4)


def test_orders_are_chosen_on_half_of_the_texts(curved: Path, texts: Path, tiny: ModelSpec) -> None:
    model, ablation = load(tiny), Ablation.open(curved)
    passages = passages_of(model, texts)
    order = ablation.table("orders").query("order == @LEAST", local_dict={"LEAST": LEAST})
    chosen = [Head.of_row(*row) for row in order[["layer", "head"]].to_numpy()]
    by_choosing = np.mean([measured_importance(model, one) for one in passages[::2]], axis=0)
    assert chosen == sorted(chosen, key=lambda head: by_choosing[head])
    curve = ablation.table("curve")
    least = curve[curve["order"] == LEAST]
    expected = pruning_curve(model, passages[1::2], chosen, least["removed"].tolist())
    assert least["effect"].to_numpy() == pytest.approx(expected.mean(axis=0), rel=1e-4, abs=1e-9)
    draws = np.stack([pruning_curve(model, passages[1::2], one, [3]) for one in at_random((3, 4))]).mean(axis=1)
    random = curve.query("order == 'random' and removed == 3").iloc[0]
    assert random[["effect", "low"]].tolist() == pytest.approx([draws.mean(), draws.min()], rel=1e-4)
    assert (curve["chosen_on"] == 4).all() and (curve["shown_on"] == 4).all()
    assert set(curve["order"]) == {LEAST, "random"}
    (ends,) = set(curve[curve["removed"] == 12]["effect"].round(12))
    assert ends > 0, "all orders end with all heads"


@pytest.mark.long
def test_the_heads_of_a_role_go_first_where_that_is_asked(texts: Path, tiny: ModelSpec, tmp_path: Path) -> None:
    (tmp_path / "choosing").mkdir()
    for number in (0, 2, 4, 6):
        shutil.copy(texts / f"{number:03d}.txt", tmp_path / "choosing")
    spec, how = tiny, StudySettings(shard_characters=2_000)
    study = run_study(Corpus(str(tmp_path / "choosing")), spec, tmp_path / "study", how)
    known = study.of().heads[["layer", "head", "role"]]
    role = known["role"].value_counts().index[-1]
    settings = AblationSettings("curve", order=f"role:{role}")
    orders = run_ablation(Corpus(str(texts)), spec, tmp_path / "out", settings).table("orders").merge(known)
    assert set(orders["order"]) == {f"{role} first"} and (orders["role"] == role).is_monotonic_decreasing


@pytest.mark.parametrize("phase", quick_only(["importance", "curve", "labelled"], "curve"))
def test_cut_off_in_any_phase_it_goes_on_and_ends_the_same(
    phase: str, curved: Path, texts: Path, labels: Path, tiny: ModelSpec, tmp_path: Path
) -> None:
    out = Path(shutil.copytree(curved, tmp_path / "out"))
    shutil.rmtree(out / "tables")
    shutil.rmtree(sorted((out / phase / "shards").iterdir())[-1])
    run_ablation(Corpus(str(texts)), tiny, out, AblationSettings("curve", labels=labels))
    assert digests(out) == digests(curved)


def test_some_heads_are_removed_together_and_the_model_is_saved(
    texts: Path, labels: Path, tiny_folder: Folder, tmp_path: Path, capsys: pytest.CaptureFixture[str], refused: Refused
) -> None:
    out, saved, folder = tmp_path / "out", tmp_path / "saved", tiny_folder("bert")
    command = ["ablate", str(texts), "--heads", "L1H2", "L2H4", "--model", str(folder), "--out", str(out)]
    assert main([*command, "--labels", str(labels), "--save", str(saved)]) == 0
    ablation, model = Ablation.open(out), load(ModelSpec(str(folder)))
    chosen, passages = named_heads(["L1H2", "L2H4"], 3, 4), passages_of(model, texts)
    expected = np.mean([effects_of(model, passage, [chosen]).embedding[0] for passage in passages])
    effects = ablation.table("effects")
    assert effects["effect"].item() == pytest.approx(expected)
    assert (effects["random_sets"] == 15).all(), "four heads in each of two layers: 15 other pairs"
    assert ablation.table("accuracy")["removed"].tolist() == [0, 2]
    assert load(ModelSpec(str(saved))).removed == chosen
    card = (saved / "README.md").read_text("utf-8")
    said = (
        "bert without 2 of its 12 attention heads", "L1H2, L2H4", "mean over the reference texts", "is not faster",
        f"sentence embedding moves by {expected:.2%}", "; 8 texts", model.revision,
    )  # fmt: skip
    assert [part for part in said if part not in card] == []
    assert str(folder.parent) not in card
    capsys.readouterr()
    assert "is no new or empty folder" in refused(*command, "--save", saved)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--heads", "L9H1"], "There is no L9H1 in this model: its heads are L1H1 to L3H4"),
        (["--importance", "--labels", "LABELS"], "Labels go with some heads, or with a curve"),
        (["--importance", "--save", "SAVED"], "A model is saved without the heads that --heads names"),
        (["--heads", "L1", "--save", "OUT/saved"], "cannot be saved into the folder of the tables"),
        (["--heads", "L1", "--replace", "even", "--save", "SAVED"], "with mean or zero in place of"),
        (["--heads", "L1", "--save", "TEXTS"], "is no new or empty folder"),
        (["--heads", "L1", "--labels", "NONE"], "There is no text at"),
        ([], "--heads (L3H10 a head, L5 a layer), --importance (the effect of each"),
        (["--curve", "--order", "greedy"], "The order of a curve is importance or role:NAME"),
        (["--importance", "--order", "role:anchor"], "The order of a curve is importance or role:NAME"),
        (["--curve", "--order", "role:nobody"], "No head has the role 'nobody': roles here are"),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_nothing_is_written(
    arguments: list[str], sentence: str, texts: Path, labels: Path, tiny: ModelSpec, tmp_path: Path, refused: Refused
) -> None:
    stands = {
        "LABELS": labels, "NONE": tmp_path / "none.csv",
        "TEXTS": texts, "SAVED": tmp_path / "saved", "OUT/saved": tmp_path / "out" / "saved",
    }  # fmt: skip
    given, out = [stands.get(one, one) for one in arguments], tmp_path / "out"
    assert sentence in refused("ablate", texts, *given, "--model", tiny.name, "--out", out)
    assert not (out / "tables").exists() and not (tmp_path / "saved").exists()
    assert len(list(texts.iterdir())) == 8


@pytest.mark.parametrize(
    ("text", "options", "says"),
    [
        (SENTENCES[0], ["--curve"], "give two texts at least that can"),
        ("\n", ["--heads", "L1"], "No text could be read"),
    ],
)
def test_too_few_texts_and_unreadable_texts_are_refused(
    text: str, options: list[str], says: str, tiny: ModelSpec, tmp_path: Path, refused: Refused
) -> None:
    (tmp_path / "0.txt").write_text("  ", encoding="utf-8")
    (tmp_path / "1.txt").write_text(text, encoding="utf-8")
    command = ["ablate", tmp_path / "*.txt", "--model", tiny.name, *options, "--out", tmp_path / "out"]
    assert says in refused(*command)
