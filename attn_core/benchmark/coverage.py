"""What the intervals of few texts cover: corpora drawn from the texts of a large study, whose own values are the truth.

What the effects need of every text is counted by a network once: corpora of these texts are then drawn at will.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import pyarrow as pa
from scipy.stats import skew

from attn_core.analysis.measured_windows import measured
from attn_core.analysis.reading import read
from attn_core.analysis.unrelated import Unrelated
from attn_core.io.atomic_files import write_file
from attn_core.measures.effects import effect_values, effects_over_texts, needed
from attn_core.measures.tally import Count, Tally
from attn_core.measures.window_counts import count_window
from attn_core.models.files import ModelSpec
from attn_core.models.loading import load
from attn_core.models.records import LoadedModel
from attn_core.numerics.poisson_bootstrap import weights
from attn_core.similarity.strong_pairs import Settings
from attn_core.study.corpus import Corpus
from attn_core.study.opened import numbers, shard_tables
from attn_core.study.runner import run_study
from attn_core.study.settings import StudySettings
from attn_core.study.shard_tables import Shape, text_sizes
from attn_core.texts.documents import read_document

PARTS = ("", "chance_", "weight_")  # of a count: its numerator, its chance and its weight
SIZES = (4, 6, 10, 20, 40, 60)  # texts of a corpus
CORPORA = 500  # of each size
DRAWS = 200  # of the bootstrap


@dataclass(frozen=True, eq=False)
class TextCounts:
    """The counts of some texts, window by window. shape: (layers, heads a layer). text: (windows,), from 0, of each window.

    by_name: of every count its numerators (windows, size), chances (windows, size) or (windows, 1), and weights (windows,).
    """

    shape: Shape
    text: np.ndarray
    by_name: Mapping[str, Sequence[np.ndarray]]

    @property
    def texts(self) -> int:
        """How many there are."""
        return int(self.text.max()) + 1

    def tally(self, times: np.ndarray) -> Tally:
        """The counts added up. times: how often each row takes each text, (rows, texts)."""
        tally = Tally(len(times) - 1)
        for name, (numerators, chances, weighing) in self.by_name.items():
            tally.add(name, numerators, chances, weighing, times[:, self.text])
        return tally


def of_windows(windows: pa.Table, shape: Shape) -> TextCounts:
    """The counts of a study's table of windows."""
    names = [column.removeprefix("weight_") for column in windows.column_names if column.startswith("weight_")]
    counts = {name: [numbers(windows[f"{part}{name}"]) for part in PARTS] for name in names}
    return TextCounts(shape, np.unique(numbers(windows["text"]), return_inverse=True)[1], counts)


def kept_counts(spec: ModelSpec, texts: Sequence[str], folder: Path) -> TextCounts:
    """The counts of some texts by a network: those of the folder, or counted now and kept there.

    A file is known by the network and the texts, not by the program: a program that counts otherwise takes a new folder.
    """
    texts_digest, model_digest = (
        sha256(one.encode()).hexdigest()[:12] for one in ("\0".join(texts), f"{spec.place}, {spec}")
    )
    file = folder / f"{model_digest}-{texts_digest}.npz"
    if not file.exists():
        buffer = BytesIO()
        np.savez_compressed(buffer, allow_pickle=False, **_arrays(load(spec), texts))
        write_file(file, buffer.getvalue())
    with np.load(file, allow_pickle=False) as kept:
        names = [column.removeprefix("weight_") for column in kept if column.startswith("weight_")]
        counts = {name: [kept[f"{part}{name}"] for part in PARTS] for name in names}
        layers, heads = kept["shape"].tolist()
        return TextCounts((layers, heads), kept["text"], counts)


def _arrays(model: LoadedModel, texts: Sequence[str]) -> dict[str, np.ndarray]:
    """The counts of the first window of every text, beside that of the text before; the first one beside itself."""
    rows: list[dict[str, Count]] = []
    beside: list[Unrelated] = []
    for text in texts:
        reading = read(model, read_document(text, "en"), window=1)
        passage, output = reading.passages[0], reading.outputs[0]
        here = [Unrelated(passage, output.z)]
        rows.append(needed(count_window(measured(passage, output, Settings(), beside or here)).counts))
        beside = here
    made = {"shape": np.array([model.layers, model.heads]), "text": np.arange(len(texts))}
    for name in rows[0]:
        counts = [row[name] for row in rows]
        made[name] = np.stack([np.ravel(count.numerator) for count in counts])
        made[f"chance_{name}"] = np.stack([np.ravel(count.chance) for count in counts])
        made[f"weight_{name}"] = np.array([count.weight for count in counts])
    return made


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
