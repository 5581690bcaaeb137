"""What the intervals of few texts cover: corpora drawn from the texts of a large study, whose own values are the truth."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import pyarrow as pa
from scipy.stats import skew

from attn_core.benchmark.text_counts import of_windows
from attn_core.measures.effects import effect_values, effects_over_texts
from attn_core.models.files import ModelSpec
from attn_core.numerics.poisson_bootstrap import weights
from attn_core.study.corpus import Corpus
from attn_core.study.opened import shard_tables
from attn_core.study.runner import run_study
from attn_core.study.settings import StudySettings
from attn_core.study.shard_tables import Shape, text_sizes

SIZES = (4, 6, 10, 20, 40, 60)  # texts of a corpus
CORPORA = 500  # of each size
DRAWS = 200  # of the bootstrap


def covered_by_texts(spec: ModelSpec, texts: Sequence[str]) -> pd.DataFrame:
    """The same of texts that are read now by a model, see `covered_in`."""
    with TemporaryDirectory() as folder:
        below = Path(folder)
        (below / "texts").mkdir()
        for number, text in enumerate(texts):
            (below / "texts" / f"{number:06}.txt").write_text(text, encoding="utf-8")
        study = run_study(Corpus(str(below / "texts")), spec, below / "study", StudySettings(draws=1))
        return covered_in(study.folder, study.shape)


def covered_in(study: Path, shape: Shape, sizes: Sequence[int] = SIZES, corpora: int = CORPORA) -> pd.DataFrame:
    """One row an effect: the skewness of the study's texts, and by number of texts the share of corpora that hold its value.

    A corpus is drawn with replacement. shape: (layers, heads a layer).
    """
    counts = of_windows(pa.concat_tables(shard_tables(study, "windows")), shape)
    strong = text_sizes(study)
    truth = pd.Series(
        {name: of[0] for name, of in effect_values(counts.tally(np.ones((1, len(strong)))), shape)[0].items()}
    )
    each = effect_values(counts.tally(np.eye(len(strong))), shape)[0]
    told = pd.DataFrame({"skewness": {name: float(skew(of, nan_policy="omit")) for name, of in each.items()}})
    generator = np.random.default_rng(0)
    for number in sizes:
        held = pd.Series(0, index=truth.index)
        for seed in range(corpora):
            drawn = generator.integers(0, len(strong), number)
            times = weights(np.arange(number), DRAWS, seed) @ (drawn[:, None] == np.arange(len(strong)))
            of = effects_over_texts(*effect_values(counts.tally(times), shape), strong[drawn]).set_index("effect")
            held += (of["low"] <= truth) & (truth <= of["high"])
        told[f"{number} texts"] = held / corpora
    return told.rename_axis("effect").reset_index()
