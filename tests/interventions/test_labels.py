"""Labelled texts: what is read, what is refused, and whether the probe's accuracy is one."""

from pathlib import Path

import numpy as np
import pytest

from attn_core.errors import InputError
from attn_core.interventions.labels import labelled_corpus, labelled_rightly, labels_of, share_of


def written(folder: Path, content: str) -> Path:
    path = folder / "labels.csv"
    path.write_text(content, encoding="utf-8")
    return path


def test_texts_and_labels_are_read(tmp_path: Path) -> None:
    found = labelled_corpus(written(tmp_path, 'label,text\nsea,"a, b\nc"\nland,d\nsea,e\nland,f\n'))
    assert [text.text for text in found.texts()] == ["a, b\nc", "d", "e", "f"]
    assert labels_of(found).tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("text,topic\na,b\n", "labels.csv has no column 'label'"),
        ("label\nb\n", "labels.csv has no column 'text'"),
        ("", "labels.csv has no column 'text' with words"),
        ("text,label\na,x\nb,x\n", "labels.csv needs two labels at least"),
        ("text,label\na,x\nb,x\nc,y\n", "two texts of each label"),
        ("text,label\na,x\nb,x\nc,y\nd,y\ne,\n", "a label for each text"),
    ],
)
def test_what_no_classifier_can_be_made_of_is_refused(content: str, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=sentence):
        labelled_corpus(written(tmp_path, content))


def test_accuracy_is_high_where_labels_show_and_at_chance_where_they_do_not() -> None:
    rng = np.random.default_rng(0)
    labels = rng.choice(3, 240)
    noise = rng.normal(size=(240, 12))
    shown = noise + 6 * (labels == 0)[:, None] * (np.arange(12) == 3)
    blind, seeing = (share_of(labelled_rightly(embeddings, labels)) for embeddings in (noise, shown))
    value, low, high = seeing
    assert blind[1] < 0.4 and blind[2] < low < value < high <= 1
    assert share_of(labelled_rightly(noise, labels)) == blind


@pytest.mark.parametrize(("texts", "share"), [(8, 0.7), (20, 0.95), (20, 1.0), (200, 0.5)])
def test_an_accuracy_has_an_interval_that_holds_also_where_all_are_right(texts: int, share: float) -> None:
    rng = np.random.default_rng(0)
    found = [share_of(right) for right in (rng.random((500, texts)) < share).astype(float)]
    assert np.mean([low <= share <= high for _, low, high in found]) >= 0.93
    assert all(low < high and low <= value <= high for value, low, high in found)
