"""Tables of small runs, written down: `make golden`, or `python -m tests.golden`, writes them anew.

They are no truth in themselves. A changed definition shows as a difference of these files, and one nobody meant as
a test that fails. Words that only explain a number are left out.
"""

import io
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

import attn_core
from attn_core.interventions.runner import run_ablation
from attn_core.interventions.worker import AblationSettings
from attn_core.models.files import ModelSpec
from attn_core.models.records import LoadedModel
from attn_core.patterns.pair_scores import score_windows
from attn_core.patterns.rules import RULES, TextWords, pairs_of
from attn_core.patterns.scores import of_words
from attn_core.similarity.words import find_words
from attn_core.study.corpus import Corpus
from attn_core.study.runner import run_study
from attn_core.study.settings import StudySettings
from attn_core.texts.documents import read_document, samples
from tests.families import ENCODER_DECODERS, SERVED, save_tiny
from tests.study.made_up import SENTENCES, write_corpus

FOLDER = Path(__file__).parent / "golden_tables"
TABLES = ("heads", "layers", "distance_bins", "kinds")
KINDS = ("new:", "gone:", "other values:")


def golden_tables() -> Iterator[tuple[str, pd.DataFrame]]:
    """Each table by the name of its file: of texts, of a pattern, a study and an ablation."""
    sample, short = samples()[0].text, " ".join(SENTENCES)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tiny = ModelSpec(str(save_tiny(folder / "bert", SERVED["bert"])))
        causal = ModelSpec(str(save_tiny(folder / "gpt2", SERVED["gpt2"])))
        cross = ModelSpec(str(save_tiny(folder / "bart", ENCODER_DECODERS["bart"])), stack="cross")
        for read_by, spec, text, share in (
            ("minilm", ModelSpec(), sample, 0.01),
            ("tiny", tiny, short, 0.05),  # of short texts, so that heads have pairs enough for a role
            ("causal", causal, short, 0.05),
            ("cross", cross, short, 0.05),
        ):
            analysis = attn_core.analyze(text, spec, attn_core.Settings(share=share))
            for table in TABLES:
                yield f"{read_by}-{table}", getattr(analysis, table)
            if read_by == "minilm":
                yield "minilm-roles", analysis.roles
        words = attn_core.analyze(sample, ModelSpec(), unit="words")
        yield "words-heads", words.heads
        yield "words-layers", words.layers
        yield "minilm-patterns", pattern_scores(attn_core.load(ModelSpec()), sample)

        corpus = Corpus(str(write_corpus(folder / "texts", texts=5)))
        study = run_study(corpus, tiny, folder / "study", StudySettings(shard_characters=700, batch_tokens=300)).of()
        for table in ("heads", "layers", "claims"):
            yield f"study-{table}", study.table(table)
        for table, settings in (
            ("effects", AblationSettings("heads", ("L1H2",))),
            ("importance", AblationSettings("importance")),
        ):
            yield f"ablation-{table}", run_ablation(corpus, tiny, folder / table, settings).table(table)


def pattern_scores(model: LoadedModel, text: str) -> pd.DataFrame:
    """How well the best head sees each rule's pairs, by map."""
    passage = attn_core.read_passages(read_document(text), model.tokenizer, model.max_tokens)[0]
    words = find_words(passage)
    (output,) = attn_core.capture(model, [passage], keep_maps=True)
    outputs, of_text = of_words(output.z, output.attention, words), TextWords.of(passage, words)
    rows = []
    for name in RULES:
        if seen := score_windows([(0, outputs, pairs_of(name, of_text))]):
            scores = seen.percentile.mean(axis=-1).reshape(len(seen.percentile), -1)
            rows += [(name, len(seen), at, int(of.argmax()), of.max(), of.mean()) for at, of in enumerate(scores)]
    return pd.DataFrame(rows, columns=["rule", "pairs", "map", "best_head", "best_score", "mean_score"])


def rounded(table: pd.DataFrame) -> str:
    """A table as CSV, of four digits a number."""
    return table.to_csv(index=False, float_format="%.4g", lineterminator="\n")


def read(text: str) -> pd.DataFrame:
    """The table of a CSV of `rounded`."""
    return pd.read_csv(io.StringIO(text))


def as_written(text: str) -> pd.DataFrame:
    """The cells of a CSV as they stand."""
    return pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)


def difference(table: pd.DataFrame, golden: pd.DataFrame) -> str:
    """What differs: columns that are new, gone or have other values, or the number of rows; "" where nothing does."""
    if len(table) != len(golden):
        return f"{len(table)} rows in place of {len(golden)}"
    new, gone = (
        table.columns.difference(golden.columns, sort=False),
        golden.columns.difference(table.columns, sort=False),
    )
    moved = [name for name in table.columns.intersection(golden.columns) if not alike(table[name], golden[name])]
    return "; ".join(
        f"{what} {', '.join(names)}" for what, names in zip(KINDS, (new, gone, moved), strict=True) if len(names)
    )


def alike(now: pd.Series, then: pd.Series) -> bool:
    """Whether a column has the written values.

    Other processors add in another order and may swap a pair at the threshold, so that numbers may differ by
    one percent, shares by half a percentage point, and of words one in twenty.
    """
    if pd.api.types.is_numeric_dtype(now) and pd.api.types.is_numeric_dtype(then):
        return np.isclose(now.astype(float), then.astype(float), rtol=0.01, atol=0.005, equal_nan=True).all()
    return (now.fillna("") == then.fillna("")).mean() >= 0.95


def write(name: str, table: pd.DataFrame) -> None:
    """Write a table anew, but for the columns that have not changed, and print what differs from the one before."""
    file, text = FOLDER / f"{name}.csv", rounded(table)
    if file.exists() and (differs := difference(now := read(text), then := read(file.read_text(encoding="utf-8")))):
        print(f"{name}: {differs}")
        words = as_written(text)
        if len(now) == len(then):
            kept = [column for column in now.columns.intersection(then.columns) if alike(now[column], then[column])]
            words[kept] = as_written(file.read_text(encoding="utf-8"))[kept]
        text = words.to_csv(index=False, lineterminator="\n")
    elif file.exists():
        return
    file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    tables = dict(golden_tables())
    for file in FOLDER.glob("*.csv"):
        if file.stem not in tables:
            file.unlink()
    for name, table in tables.items():
        write(name, table)
