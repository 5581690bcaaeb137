"""Cross-validated accuracy of a logistic probe on the sentence embeddings of labelled texts.

Labelled texts are a table with columns text and label; only the first window of a text is read. The probe is trained
and tested under the same removal, so that a lower accuracy means that the embeddings lost information.
"""

from collections import Counter
from pathlib import Path

import numpy as np

from attn_core.errors import InputError
from attn_core.io.paths import printable
from attn_core.numerics.leave_one_out import interval_of_mean
from attn_core.study.corpus import Corpus

TEXT, LABEL = "text", "label"
FOLDS = 5  # or the number of texts of the rarest label, if smaller


def labelled_corpus(path: Path) -> Corpus:
    """The labelled texts of a table, as a corpus whose groups are the labels.

    Raises InputError for an unreadable table, a missing column, a single label, or a label with a single text.
    """
    corpus, called = Corpus(str(path), TEXT, groups=LABEL), printable(path.name)
    if missing := [name for name in (TEXT, LABEL) if name not in corpus.columns]:
        raise InputError(f"{called} has no column {missing[0]!r} with words: name its columns text and label.")
    counts = Counter(labels_of(corpus).tolist())
    if len(counts) < 2 or min(counts.values()) < 2:
        raise InputError(f"{called} needs two labels at least, two texts of each label, and a label for each text.")
    return corpus


def labels_of(corpus: Corpus) -> np.ndarray:
    """The label of each text as an integer, (text,)."""
    return np.array([text.group for text in corpus.texts()], dtype=np.int64)


def share_of(right: np.ndarray) -> tuple[float, float, float]:
    """The accuracy and its 95 % interval over texts. right: (text,), 0 or 1.

    Two right and two wrong texts are added for the interval (Agresti and Coull 1998, "Approximate is better than
    exact"), so that its width is positive for an accuracy of 0 or 1.
    """
    low, high = interval_of_mean(np.concatenate([right, [0.0, 0.0, 1.0, 1.0]]))
    return float(right.mean()), max(0.0, float(low)), min(1.0, float(high))


def labelled_rightly(embeddings: np.ndarray, labels: np.ndarray, seed: int = 0) -> np.ndarray:
    """Whether a cross-validated logistic probe predicts the label of each text, (text,), 0 or 1.

    embeddings: (text, hidden). labels: (text,).
    """
    from sklearn.linear_model import LogisticRegression  # scikit-learn takes seconds to import
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    probe = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    folds = StratifiedKFold(min(FOLDS, min(Counter(labels.tolist()).values())), shuffle=True, random_state=seed)
    return (cross_val_predict(probe, embeddings, labels, cv=folds) == labels).astype(np.float64)
