"""Does a classifier of labelled texts get worse as heads go? A logistic probe on the sentence embedding, cross-validated.

The texts and their labels are a CSV with the columns text and label. A text is read in its first window. The probe is trained
on the embeddings under the same removal, so that what it loses is what they no longer hold. Chance is the most frequent label.
"""

import io
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from attn_core.errors import InputError
from attn_core.io.csv_tables import read_csv, separator
from attn_core.io.paths import shown
from attn_core.numerics.leave_one_out import around

COLUMNS = ("text", "label")
FOLDS = 5


@dataclass(frozen=True)
class Labelled:
    """Texts and the label of each."""

    texts: tuple[str, ...]
    labels: tuple[str, ...]

    @property
    def folds(self) -> int:
        """As many as the rarest label has texts, five at most."""
        return min(FOLDS, min(Counter(self.labels).values()))

    @property
    def chance(self) -> float:
        """The share of the most frequent label."""
        return max(Counter(self.labels).values()) / len(self.labels)


def read_labels(path: Path) -> Labelled:
    """The labelled texts of a file. Raises InputError as `labelled_texts`, and for a file that cannot be read."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{shown(path.name)} cannot be read: {error.strerror}.") from None
    return labelled_texts(data, path.name)


def labelled_texts(data: bytes, name: str) -> Labelled:
    """Raises InputError for a file without both columns, for one label only, and for a label of a single text."""
    called = shown(name)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{called} is no UTF-8: save it as UTF-8.") from None
    table = pd.concat(read_csv(io.StringIO(text), called, sep=separator(text.partition("\n")[0])))
    if missing := [name for name in COLUMNS if name not in table]:
        raise InputError(
            f"{called} has no column {missing[0]!r}: labelled texts are a CSV with the columns text and label."
        )
    rows = table[list(COLUMNS)].itertuples(index=False)
    pairs = [(text, label.strip()) for text, label in rows if text.strip() and label.strip()]
    counts = Counter(label for _, label in pairs)
    if len(counts) < 2:
        raise InputError(f"{called} has {len(counts)} label{'s' * (not counts)}: a classifier needs two at least.")
    if rare := [label for label, number in counts.items() if number < 2]:
        raise InputError(f"The label {shown(rare[0])!r} of {called} has one text: each label needs two at least.")
    texts, labels = zip(*pairs, strict=True)
    return Labelled(texts, labels)


def share_of(right: np.ndarray) -> tuple[float, float, float]:
    """The share of texts that are labelled rightly by a probe that has not seen them, and its 95 % interval over the texts.

    right: (text,), 0 or 1.

    As of Agresti and Coull (1998, "Approximate is better than exact"), with two more texts that are labelled rightly and two
    wrongly: without them a share of all or of none would have an interval of no width.
    """
    more = np.concatenate([right, [0, 0, 1, 1]])
    low, high = around(more.mean(), more.std() / np.sqrt(len(more)), len(more))
    return float(right.mean()), max(0.0, float(low)), min(1.0, float(high))


def labelled_rightly(embeddings: np.ndarray, labelled: Labelled, seed: int = 0) -> np.ndarray:
    """Whether a logistic probe on embeddings (text, hidden) labels each text rightly, (text,), 0 or 1; each is once in a fold
    that the probe has not seen."""
    from sklearn.linear_model import LogisticRegression  # scikit-learn takes seconds to import
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    labels = np.array(labelled.labels)
    probe = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    folds = StratifiedKFold(labelled.folds, shuffle=True, random_state=seed)
    return (cross_val_predict(probe, embeddings, labels, cv=folds) == labels).astype(np.float64)
