"""Which program counted: its version, and a digest of the code that decides what is counted of a text."""

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path

import attn_core

PACKAGE = Path(attn_core.__file__).parent
# From the bytes of a text to the counts of its windows; what is made of the counts may change without counting anew.
COUNTING = (
    "texts/documents.py", "texts/languages.py", "texts/passages.py", "models/loading.py",
    "models/attention.py", "models/capture.py", "models/changes.py", "models/running_change.py", "models/intervention.py",
    "models/intervened.py",
    "models/windows.py", "models/permuted.py", "models/stacks.py", "models/source.py",
    "numerics/threads.py", "similarity/strong_pairs.py",
    "models/head_outputs.py", "similarity/words.py", "similarity/context_similarity.py", "similarity/selection.py",
    "numerics/ranks.py", "similarity/strength.py", "analysis/unrelated.py",
    "similarity/moments.py", "models/batches.py", "measures/structureless.py", "analysis/reading.py",
    "analysis/measured_windows.py", "analysis/one_text.py", "analysis/statistics_tables.py", "analysis/window_tables.py",
    "measures/*.py", "study/corpus.py", "study/file_search.py", "study/text_files.py", "study/text_tables.py",
    "io/csv_rows.py", "study/plan.py", "runs/model.py", "study/worker.py", "study/shard_tables.py", "study/examples.py",
)  # fmt: skip


# The same of annotated texts, and of texts in which rules find the pairs.
COUNTING_PATTERNS = (
    "texts/documents.py", "texts/languages.py", "texts/passages.py", "similarity/words.py", "models/loading.py",
    "models/attention.py", "models/capture.py",
    "models/changes.py", "models/running_change.py", "models/intervention.py",
    "models/intervened.py",
    "models/windows.py", "models/permuted.py", "models/stacks.py", "models/source.py",
    "numerics/threads.py", "similarity/strong_pairs.py",
    "similarity/context_similarity.py", "texts/stop_words.py",
    "study/corpus.py", "study/file_search.py", "study/text_files.py", "study/text_tables.py", "io/csv_rows.py",
    "study/plan.py", "patterns/annotated.py", "patterns/conllu.py", "patterns/gap.py", "patterns/no_names.py",
    "patterns/rules.py", "patterns/ruled.py", "patterns/word_maps.py", "patterns/scores.py", "patterns/pointing.py",
    "patterns/relation_counts.py", "runs/model.py",
    "patterns/worker.py",
)  # fmt: skip

# The same of heads that are removed, which a study goes with.
COUNTING_ABLATIONS = (
    *COUNTING, "models/language_head.py", "models/classifier.py", "comparison/match.py",
    "interventions/units.py", "interventions/effects.py", "interventions/first_order.py", "interventions/importance.py",
    "interventions/losses.py", "interventions/downstream.py", "interventions/redundancy.py", "interventions/worker.py",
    "interventions/entropies.py", "interventions/task_answers.py", "patterns/annotated.py", "patterns/gap.py",
    "patterns/pointing.py", "patterns/word_maps.py", "patterns/relation_counts.py", "patterns/scores.py",
    "patterns/worker.py", "segmentation/*.py",
)  # fmt: skip


# The same of what texts say under every choice at once.
COUNTING_REPRODUCTION = (
    *COUNTING, "similarity/every_share.py", "models/controls.py", "runs/job.py",
    "reproduction/choices.py", "reproduction/job.py", "reproduction/windows.py", "reproduction/sums.py",
    "reproduction/worker.py",
)  # fmt: skip

# What the power of heads for segments hangs on.
WEIGHING = (
    "texts/documents.py", "texts/languages.py", "texts/passages.py", "models/loading.py",
    "models/attention.py", "models/capture.py", "models/changes.py", "models/running_change.py", "models/intervention.py",
    "models/intervened.py",
    "models/windows.py", "models/permuted.py", "models/stacks.py", "models/source.py",
    "numerics/threads.py", "models/batches.py",
    "segmentation/sentences.py", "segmentation/head_choice.py", "segmentation/vectors.py",
)  # fmt: skip

# From the bytes of a text to its strong pairs, as they are kept: whole rooms, since what is read anew costs little.
READING = ("texts/*.py", "models/*.py", "similarity/*.py", "analysis/*.py", "numerics/*.py", "io/disk_cache.py")


@cache
def counting_digest(modules: tuple[str, ...] = COUNTING) -> str:
    """SHA-256 of the counting code; comments, docstrings and layout make no difference."""
    digest = sha256()
    for file in covered(modules):
        digest.update(file.relative_to(PACKAGE).as_posix().encode() + b"\0" + _meaning(file.read_text("utf-8")))
    return digest.hexdigest()


def covered(patterns: Iterable[str]) -> Iterator[Path]:
    """The files of the package that are meant. Raises FileNotFoundError for a pattern that means none: a digest would
    miss what was moved, and nobody would see it.
    """
    for pattern in patterns:
        files = sorted(PACKAGE.glob(pattern))
        if not files:
            raise FileNotFoundError(f"no file of the package is meant by {pattern}")
        yield from files


def _meaning(source: str) -> bytes:
    """A module without its comments and docstrings."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:]
    return ast.dump(tree).encode()
