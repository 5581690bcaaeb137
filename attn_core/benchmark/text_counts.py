"""What the effects need of every text of some, counted by a network once: corpora of these texts are then drawn at will."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from pathlib import Path

import numpy as np
import pyarrow as pa

from attn_core.analysis.measured_windows import measured
from attn_core.analysis.reading import read
from attn_core.analysis.unrelated import Unrelated
from attn_core.io.atomic_files import write_file
from attn_core.measures.effects import needed
from attn_core.measures.tally import Count, Tally
from attn_core.measures.window_counts import count_window
from attn_core.models.files import ModelSpec
from attn_core.models.loading import load
from attn_core.models.records import LoadedModel
from attn_core.similarity.strong_pairs import Settings
from attn_core.study.opened import numbers
from attn_core.study.shard_tables import Shape
from attn_core.texts.documents import read_document

PARTS = ("", "chance_", "weight_")  # of a count: its numerator, its chance and its weight


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
        for name, (numerators, chances, weights) in self.by_name.items():
            tally.add(name, numerators, chances, weights, times[:, self.text])
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
