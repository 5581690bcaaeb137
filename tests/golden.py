"""Tables of small runs, written down: `make golden`, or `python -m tests.golden`, writes them anew.

They are no truth in themselves. A changed definition shows as a difference of these files, and one nobody meant as
a test that fails. Words that only explain a number are left out.
"""

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
IN_WORDS = ["role_rule"]


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
    return table.drop(columns=IN_WORDS, errors="ignore").to_csv(index=False, float_format="%.4g", lineterminator="\n")


def difference(table: pd.DataFrame, golden: pd.DataFrame) -> str:
    """Which columns differ, empty where none does.

    Other processors add in another order and may swap a pair at the threshold, so that numbers may differ by
    one percent, shares by half a percentage point, and of words one in twenty.
    """
    if list(table) != list(golden) or len(table) != len(golden):
        return f"{list(table)} of {len(table)} rows, not {list(golden)} of {len(golden)}"
    differ = []
    for name in table:
        now, then = table[name], golden[name]
        if pd.api.types.is_numeric_dtype(now) and pd.api.types.is_numeric_dtype(then):
            alike = np.isclose(now.astype(float), then.astype(float), rtol=0.01, atol=0.005, equal_nan=True).all()
        else:
            alike = (now.fillna("") == then.fillna("")).mean() >= 0.95
        if not alike:
            differ.append(name)
    return ", ".join(differ)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for file in FOLDER.glob("*.csv"):
        file.unlink()
    for name, table in golden_tables():
        (FOLDER / f"{name}.csv").write_text(rounded(table), encoding="utf-8")
