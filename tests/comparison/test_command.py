"""`compare`: subjects by name, tables on the terminal and in a folder."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

from attn_core.__main__ import main
from attn_core.models import loading
from tests.families import TEXT, Folder

Compare = Callable[..., tuple[int, str, str]]

pytestmark = pytest.mark.slow


@pytest.fixture
def compare(tmp_path: Path, tiny_folder: Callable[[str], Path], capsys: pytest.CaptureFixture[str]) -> Compare:
    (tmp_path / "text.txt").write_text(TEXT)

    def run(*subjects: str, **options: object) -> tuple[int, str, str]:
        named = [re.sub(r"^(bert|gpt2)", lambda family: str(tiny_folder(family[0])), subject) for subject in subjects]
        given = [part for name, value in options.items() for part in (f"--{name}", str(value))]
        status = main(["compare", *named, "--text", str(tmp_path / "text.txt"), *given])
        return status, *capsys.readouterr()

    return run


@pytest.mark.parametrize(
    ("b", "column", "value"),
    [
        ("bert+untrained:2", "revision", "+untrained-2"), ("bert+shuffled_text", "layout", "shuffled"),
        ("bert+cosine+words", "measure", "cosine"), ("gpt2", "unit", "tokens"),
    ],
)  # fmt: skip
def test_baselines_settings_and_other_families_are_subjects(
    compare: Compare, tmp_path: Path, b: str, column: str, value: str
) -> None:
    status, said, _ = compare("bert", b, out=tmp_path / "out")
    assert status == 0
    assert f" than in {b}, in " in said.splitlines()[0]
    subjects = pd.read_parquet(tmp_path / "out" / "subjects.parquet").set_index("subject")
    assert subjects.loc[b, column].endswith(value)
    told = json.loads((tmp_path / "out" / "provenance.json").read_text())["subjects"]
    assert told[b][column].endswith(value)
    in_parquet = pq.read_schema(tmp_path / "out" / "differences.parquet").metadata[b"provenance"]
    assert json.loads(in_parquet)["subjects"] == told
    assert set(pd.read_parquet(tmp_path / "out" / "curves.parquet")["subject"]) == {"bert", b}


@pytest.mark.parametrize(
    ("subject", "says"),
    [
        ("bert", "A and B are both"),
        ("bert+separated+shuffled_text", "a subject has one layout"),
        ("bert+words+cosine+tokens", "a subject has one unit."),
        ("bert+decoder", "has one stack and no decoder: leave the stack out."),
        ("", "The subject '' names no model: write 'default', a hub id"),
        ("untrained:1", "'untrained:1' is a baseline or a setting, not a model: write {bert}+untrained:1."),
        ("shuffled_text", "write {bert}+shuffled_text."),
        ("+untrained", "The subject '+untrained' names no model"),
    ],
)
def test_bad_subjects_are_refused_in_one_sentence(
    subject: str, says: str, compare: Compare, tiny_folder: Folder
) -> None:
    status, printed, error = compare("bert", subject)
    assert (status, printed) == (2, "")
    assert says.format(bert=tiny_folder("bert")) in error and error.count("\n") == 1


def test_what_makes_no_subject_is_told_before_any_model_is_loaded(
    compare: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "load", lambda _spec: pytest.fail("a model was loaded"))
    assert "'typo' is unknown after default+" in compare("bert", "default+typo")[2]


def test_folders_are_named_apart_and_may_have_a_plus_in_their_name(
    compare: Compare, tmp_path: Path, tiny_folder: Folder
) -> None:
    made = ("c++/bert+own", "one/checkpoint-5", "two/checkpoint-5")
    plus, one, two = (str(shutil.copytree(tiny_folder("bert"), tmp_path / name)) for name in made)
    for given, names in (((plus, f"{plus}+cosine"), ["bert+own", "bert+own+cosine"]), ((one, two), [*made[1:]])):
        assert compare(*given, out=(out := tmp_path / f"out of {len(names[0])}"))[0] == 0
        assert pd.read_parquet(out / "subjects.parquet")["subject"].tolist() == names


def test_texts_too_short_to_match_heads_are_compared_all_the_same(compare: Compare, tmp_path: Path) -> None:
    (tmp_path / "short.txt").write_text("The tide rose.")
    status, said, _ = compare("bert", "bert+cosine", text=tmp_path / "short.txt", out=tmp_path / "out")
    assert status == 0
    assert "These two have no window with five words in common" in said
    assert (tmp_path / "out" / "curves.csv").exists() and not (tmp_path / "out" / "best_matches.csv").exists()


def test_stacks_of_one_model_are_subjects(compare: Compare, stacks_folder: Folder, tmp_path: Path) -> None:
    both = str(stacks_folder("bart"))
    status, said, _ = compare(f"{both}+decoder", f"{both}+cross+untrained", out=tmp_path / "out")
    assert status == 0
    assert " than in bart+cross+untrained, in " in said.splitlines()[0]
    models = pd.read_parquet(tmp_path / "out" / "subjects.parquet")["model"].tolist()
    assert models == ["bart, decoder", "bart, cross-attention, untrained copy (seed 0)"]
