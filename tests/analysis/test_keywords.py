"""Keywords: phrases between little words, ranked by how heads gather around their words."""

from pathlib import Path

import numpy as np
import pytest

from attn_core.__main__ import main
from attn_core.analysis.keywords import NO_KEYWORDS, keywords
from attn_core.analysis.reading import read, word_reading
from attn_core.models.files import ModelSpec
from attn_core.models.records import LoadedModel
from attn_core.similarity.selection import find_strong_pairs
from attn_core.texts.documents import read_document
from tests.families import Tiny
from tests.fixtures import Refused

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
        ("I don't know the boat. We’ve one, and it's lost. I'm tired.", {"know": 1, "boat": 1, "lost": 1, "tired": 1}),
        ("The F-16, and an F-16 and the MP3 of a 4K film, in 1990.", {"f-16": 2, "mp3": 1, "4k film": 1}),
        ("A self‑driving ferry is here. Every self-driving ferry waits.", {"self‑driving ferry": 2}),
        (
            "A state-of-the-art boat--which grinds, and a T-shirt.",
            {"state-of-the-art boat": 1, "grinds": 1, "t-shirt": 1},
        ),
        ("The cafe\u0301 is shut. The caf\u00e9 is small.", {"café": 2, "shut": 1, "small": 1}),
    ],
)
def test_a_keyword_is_of_whole_words(minilm: LoadedModel, text: str, times: dict[str, int]) -> None:
    table = keywords(read(minilm, read_document(text)))
    assert table.set_index(table["keyword"].str.lower())["times"].to_dict() == times


def test_an_elided_word_is_no_part_of_a_keyword_and_times_counts_inside_of_longer_ones(minilm: LoadedModel) -> None:
    text = (
        "L'eau monte dans le port. On a peur de l'eau, car l’eau froide est haute. Le niveau d'eau change et "
        "l'histoire d'un port est une histoire d'eau."
    )
    table = keywords(read(minilm, read_document(text, "fr"))).set_index("keyword")
    assert table["times"].to_dict() == {"eau": 5, "port": 2, "histoire": 2, "haute": 1, "peur": 1, "niveau": 1}
    assert table.loc["eau", "chance_score"] == pytest.approx(5**0.5)
    assert all(text[start:].startswith(keyword) for keyword, start in table["start"].items())
    table = keywords(read(minilm, read_document("Voici le chef-d'œuvre d'un homme.", "fr")))
    assert set(table["keyword"]) >= {"chef-d'œuvre", "homme"}


def test_a_single_word_counts_inside_of_longer_phrases_if_it_stands_alone_twice(minilm: LoadedModel) -> None:
    text = "The tide. A grey sea and a grey sea wall. The tide table and the boat. A boat race and the tide."
    table = keywords(read(minilm, read_document(text, "en"))).set_index("keyword")
    assert table.loc[["tide", "grey sea"], "times"].tolist() == [3, 2]
    assert table.loc[["tide", "grey sea"], "chance_score"].tolist() == pytest.approx([3**0.5, 2])
    assert table.loc["boat race", "times"] == 1 and "boat" not in table.index  # alone once: it scores less


@pytest.mark.parametrize("text", ["Name", "河边有一座旧磨坊。磨坊有三个水车。水车转动石磨。"])
def test_a_text_without_keywords_gets_a_sentence(tmp_path: Path, tiny: ModelSpec, refused: Refused, text: str) -> None:
    (tmp_path / "text.txt").write_text(text, encoding="utf-8")
    assert refused("keywords", tmp_path / "text.txt", "--model", tiny.name) == NO_KEYWORDS


def test_the_command_prints_them(tmp_path: Path, tiny: ModelSpec, capsys) -> None:
    (tmp_path / "text.txt").write_text(TEXT, encoding="utf-8")
    command = ["keywords", str(tmp_path / "text.txt"), "--model", tiny.name, "--number", "2"]
    assert main(command) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2
    assert main([*command, "--format", "csv"]) == 0
    assert capsys.readouterr().out.startswith('"rank","keyword","score"')
