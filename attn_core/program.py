"""Which program counted: its version, and a digest of the code that decides what is counted of a text."""

import ast
from functools import cache
from hashlib import sha256
from pathlib import Path

import attn_core

PACKAGE = Path(attn_core.__file__).parent
# From the bytes of a text to the counts of its windows; what is made of the counts may change without counting anew.
COUNTING = (
    "texts.py", "languages.py", "passages.py", "models.py", "capture.py", "blocks.py", "strong_pairs.py",
    "head_outputs.py", "words.py", "similarity_measures.py", "similarity.py", "ranks.py", "strength.py", "unrelated.py",
    "moments.py", "batches.py", "analysis.py", "counted_tables.py", "window_tables.py", "structureless.py",
    "measures/*.py", "study/corpus.py", "study/file_search.py", "study/text_files.py", "study/text_tables.py",
    "study/plan.py", "study/worker.py", "study/counts.py", "study/examples.py",
)  # fmt: skip


# The same of annotated texts, and of texts in which rules find the pairs.
COUNTING_PATTERNS = (
    "texts.py", "languages.py", "passages.py", "words.py", "models.py", "capture.py", "blocks.py", "strong_pairs.py",
    "similarity_measures.py", "content_words.py",
    "study/corpus.py", "study/file_search.py", "study/text_files.py", "study/text_tables.py", "study/plan.py",
    "patterns/annotated.py", "patterns/conllu.py", "patterns/gap.py", "patterns/rules.py", "patterns/ruled.py",
    "patterns/word_maps.py", "patterns/scores.py", "patterns/pointing.py", "patterns/counts.py", "patterns/worker.py",
)  # fmt: skip

# What the power of heads for segments hangs on.
WEIGHING = (
    "texts.py", "languages.py", "passages.py", "models.py", "capture.py", "blocks.py", "batches.py",
    "segmentation/sentences.py", "segmentation/head_choice.py", "segmentation/vectors.py",
)  # fmt: skip


@cache
def counting_digest(modules: tuple[str, ...] = COUNTING) -> str:
    """SHA-256 of the counting code; comments, docstrings and layout make no difference."""
    digest = sha256()
    for pattern in modules:
        for file in sorted(PACKAGE.glob(pattern)):
            digest.update(file.relative_to(PACKAGE).as_posix().encode() + b"\0" + _meaning(file.read_text("utf-8")))
    return digest.hexdigest()


def _meaning(source: str) -> bytes:
    """A module without its comments and docstrings."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:]
    return ast.dump(tree).encode()
