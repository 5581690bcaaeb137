"""Keywords: phrases between little words, ranked by how heads gather around their words."""

from pathlib import Path

import numpy as np
import pytest

from attn_core.__main__ import main
from attn_core.analysis.keywords import NO_KEYWORDS, keywords
from attn_core.analysis.reading import read, word_reading
from attn_core.models.records import LoadedModel
from attn_core.similarity.selection import find_strong_pairs
from attn_core.texts.documents import read_document
from tests.families import Folder, Tiny

TEXT = "The parity-check of a code. A linear code has parity checks, and the tide has none."


def test_a_phrase_has_the_strong_pairs_and_the_attention_of_its_words(tiny_model: Tiny) -> None:
    reading = read(tiny_model("bert"), read_document(TEXT))
    table = keywords(reading).set_index("keyword")
    assert "tide" in table.index and not {"the", "of", "has"} & set(table.index)
    assert table[table.index.str.startswith("parity")]["times"].tolist() == [2]  # one stem, twice
    passage, output = (word_reading(reading).passages[0], word_reading(reading).outputs[0])
    at = [passage.surface(place) for place in range(len(passage))].index("tide")
    pairs = find_strong_pairs(output.z, passage, 0.01, "centred", with_special=False)
    touched = np.mean((pairs.first == at) | (pairs.second == at)) * len(passage) / 2  # each pair touches two words
    received = np.asarray(output.received)[-1].mean(0)
    assert table.loc["tide", "score"] == pytest.approx((touched * received[at] / received.mean()) ** 0.5)
    assert table.loc["tide", "chance_score"] == 1


def test_what_comes_again_counts_more(tiny_model: Tiny) -> None:
    reading = read(tiny_model("bert"), read_document("The tide. A tide. The sea, and one more tide."))
    table = keywords(reading).set_index("keyword")
    assert table["times"].to_dict() == {"tide": 3, "sea": 1}
    assert table.loc["tide", "chance_score"] == pytest.approx(3**0.5)


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("मेला, नदी, माला, घर, मेला। पानी, मोल, माला।", {"मेला": 2, "नदी": 1, "माला": 2, "घर": 1, "पानी": 1, "मोल": 1}),
        ("The photo\u00adsyn\u00adthesis. Photosynthesis.", {"photosynthesis": 2}),
    ],
)
def test_a_keyword_is_of_whole_words(minilm: LoadedModel, text: str, times: dict[str, int]) -> None:
    table = keywords(read(minilm, read_document(text)))
    assert table.set_index(table["keyword"].str.lower())["times"].to_dict() == times


@pytest.mark.parametrize("text", ["Name", "河边有一座旧磨坊。磨坊有三个水车。水车转动石磨。"])
def test_a_text_without_keywords_gets_a_sentence(tmp_path: Path, tiny_folder: Folder, capsys, text: str) -> None:
    (tmp_path / "text.txt").write_text(text, encoding="utf-8")
    assert main(["keywords", str(tmp_path / "text.txt"), "--model", str(tiny_folder("bert"))]) != 0
    assert NO_KEYWORDS in capsys.readouterr().err


def test_the_command_prints_them(tmp_path: Path, tiny_folder: Folder, capsys) -> None:
    (tmp_path / "text.txt").write_text(TEXT, encoding="utf-8")
    command = ["keywords", str(tmp_path / "text.txt"), "--model", str(tiny_folder("bert")), "--number", "2"]
    assert main(command) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2
    assert main([*command, "--format", "csv"]) == 0
    assert capsys.readouterr().out.startswith('"rank","keyword","score"')
