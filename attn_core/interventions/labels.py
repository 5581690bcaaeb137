"""Does a classifier of labelled texts get worse as heads go? A logistic probe on the sentence embedding, cross-validated.

The texts are a table with the columns text and label: a corpus whose groups are the labels. A text is read in its first window.
The probe is trained on the embeddings under the same removal, so that what it loses is what they no longer hold.
"""

from collections import Counter
from pathlib import Path

import numpy as np

from attn_core.errors import InputError
from attn_core.io.paths import shown
from attn_core.numerics.leave_one_out import interval_of_mean
from attn_core.study.corpus import Corpus

TEXT, LABEL = "text", "label"
FOLDS = 5  # or as many as the rarest label has texts


def labelled_corpus(path: Path) -> Corpus:
    """The labelled texts of a table.

    Raises InputError for one that cannot be read, or lacks a column, for one label only, and for a label of a single text.
    """
    corpus, called = Corpus(str(path), TEXT, groups=LABEL), shown(path.name)
    if missing := [name for name in (TEXT, LABEL) if name not in corpus.columns]:
        raise InputError(
            f"{called} has no column {missing[0]!r} with words in it: labelled texts are a table with columns text and label."
        )
    counts = Counter(labels_of(corpus).tolist())
    if len(counts) < 2 or min(counts.values()) < 2:
        raise InputError(
            f"{called} needs two labels at least, and two texts of each label; a text without one is in the way."
        )
    return corpus


def labels_of(corpus: Corpus) -> np.ndarray:
    """The number of each text's label, (text,)."""
    return np.array([text.group for text in corpus.texts()], dtype=np.int64)


def share_of(right: np.ndarray) -> tuple[float, float, float]:
    """The share of texts that are labelled rightly, and its 95 % interval over the texts. right: (text,), 0 or 1.

    The interval is that of two more texts that are labelled rightly and two wrongly (Agresti and Coull 1998, "Approximate is
    better than exact"): without them a share of all or of none would have an interval of no width.
    """
    low, high = interval_of_mean(np.concatenate([right, [0.0, 0.0, 1.0, 1.0]]))
    return float(right.mean()), max(0.0, low), min(1.0, high)


def labelled_rightly(embeddings: np.ndarray, labels: np.ndarray, seed: int = 0) -> np.ndarray:
    """Whether a logistic probe on embeddings (text, hidden) labels each text rightly, (text,), 0 or 1; each is once in a fold
    that the probe has not seen. labels: (text,)."""
    from sklearn.linear_model import LogisticRegression  # scikit-learn takes seconds to import
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    probe = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    folds = StratifiedKFold(min(FOLDS, min(Counter(labels.tolist()).values())), shuffle=True, random_state=seed)
    return (cross_val_predict(probe, embeddings, labels, cv=folds) == labels).astype(np.float64)
