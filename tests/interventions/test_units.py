"""Which texts choose, which are shown, and what stands for texts where there is one."""

from pathlib import Path

from attn_core.interventions.units import BLOCK, Units
from attn_core.study.corpus import Corpus


def numbers(units: Units) -> list[int]:
    return [text.number for text in units.texts()]


def test_every_text_chooses_or_is_shown_and_none_does_both(tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / f"{number}.txt").write_text(f"Text {number}.", encoding="utf-8")
    corpus = Corpus(str(tmp_path))
    assert numbers(Units.of(corpus)) == [0, 1, 2, 3, 4]
    assert numbers(Units.of(corpus, "choosing")) == [0, 2, 4]
    assert numbers(Units.of(corpus, "shown")) == [1, 3]
    assert len({Units.of(corpus, half).fingerprint() for half in ("all", "choosing", "shown")}) == 3
    assert Units.of(corpus).fingerprint() == corpus.fingerprint()
    assert Units.of(corpus).in_words == "texts"


def test_the_blocks_of_a_lone_text_stand_for_texts_and_say_so(tmp_path: Path) -> None:
    text = "The tide rose and covered the old pier.\n" * 150
    (tmp_path / "one.txt").write_text(text, encoding="utf-8")
    corpus = Corpus(str(tmp_path))
    whole, chosen, shown = (list(Units.of(corpus, half).texts()) for half in ("all", "choosing", "shown"))
    assert "".join(one.text or "" for one in whole) == text
    assert max(len(one.text or "") for one in whole) <= BLOCK
    assert sorted([*chosen, *shown], key=lambda one: one.number) == whole and len(shown) == 2
    assert whole[1].name == "one.txt, block 2"
    assert Units.of(corpus).in_words == "blocks of at most 2,000 characters of one text"
