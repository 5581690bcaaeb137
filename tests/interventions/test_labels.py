"""Labelled texts: what is read, what is refused, and whether the probe's accuracy is one."""

from pathlib import Path

import numpy as np
import pytest

from attn_core.errors import InputError
from attn_core.interventions.labels import Labelled, labelled_rightly, read_labels, share_of


def written(folder: Path, content: str) -> Path:
    path = folder / "labels.csv"
    path.write_text(content, encoding="utf-8")
    return path


def test_texts_and_labels_are_read(tmp_path: Path) -> None:
    found = read_labels(written(tmp_path, 'label,text\nsea,"a, b\nc"\nland,d\nsea,e\nland,f\n,no label\nsea,\n'))
    assert found == Labelled(("a, b\nc", "d", "e", "f"), ("sea", "land", "sea", "land"))
    assert (found.folds, found.chance) == (2, 0.5)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("text,topic\na,b\n", "labels.csv has no column 'label'"),
        ("label\nb\n", "labels.csv has no column 'text'"),
        ("", "labels.csv cannot be read as a table"),
        ("text,label\na,x\nb,x\n", "labels.csv has 1 label: a classifier needs two"),
        ("text,label\n", "labels.csv has 0 labels"),
        ("text,label\na,x\nb,x\nc,y\n", "The label 'y' of labels.csv has one text"),
    ],
)
def test_what_no_classifier_can_be_made_of_is_refused(content: str, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=sentence):
        read_labels(written(tmp_path, content))


def test_accuracy_is_high_where_labels_show_and_at_chance_where_they_do_not() -> None:
    rng = np.random.default_rng(0)
    labels = tuple(rng.choice(["sea", "land", "air"], 240).tolist())
    noise = rng.normal(size=(240, 12))
    shown = noise + 6 * (np.array(labels) == "sea")[:, None] * (np.arange(12) == 3)
    labelled = Labelled(("",) * 240, labels)
    blind, seeing = (share_of(labelled_rightly(embeddings, labelled)) for embeddings in (noise, shown))
    value, low, high = seeing
    assert low > blind[2]
    assert blind[1] < 0.4
    assert low < value < high <= 1
    assert share_of(labelled_rightly(noise, labelled)) == blind


@pytest.mark.parametrize(("texts", "share"), [(8, 0.7), (20, 0.95), (20, 1.0), (200, 0.5)])
def test_an_accuracy_has_an_interval_that_holds_also_where_all_are_right(texts: int, share: float) -> None:
    rng = np.random.default_rng(0)
    found = [share_of(right) for right in (rng.random((500, texts)) < share).astype(float)]
    assert np.mean([low <= share <= high for _, low, high in found]) >= 0.93
    assert all(low < high and low <= value <= high for value, low, high in found)
