"""Where the paragraphs of a text begin, as it was typed.

A blank line ends a paragraph. A single line end does so where the lines are long and hold several sentences: not in prose
that is wrapped at a margin, nor in verse, in a list, or in a text with one sentence a line. A gold line ends none: it would
give the boundaries away that a method is scored on.
"""

from itertools import pairwise

from attn_core.texts.documents import Document

LONG_LINE = 100  # characters; prose is wrapped at a narrower margin
SEVERAL = 1.25  # sentences a line; texts of one sentence a line have at most 1.06, novels with a paragraph a line 1.5 and more
WRAPPED = 1 / 3  # of a text's line ends that lie between sentences: prose that is wrapped has fewer


def paragraph_starts(document: Document) -> tuple[int, ...]:
    """The first sentence of every paragraph but the first, counted from 0."""
    between = [document.text.count("\n", end, start) for (_, end), (start, _) in pairwise(document.sentences)]
    needed = 1 if _has_a_paragraph_a_line(document, sum(map(bool, between))) else 2
    return tuple(first for first, line_ends in enumerate(between, start=1) if line_ends >= needed)


def _has_a_paragraph_a_line(document: Document, ends_between: int) -> bool:
    """Whether a single line end ends a paragraph. ends_between: how many lie between two sentences."""
    lengths = [len(line.strip()) for line in document.text.splitlines() if line.strip()]
    long = sum(length for length in lengths if length > LONG_LINE)
    return (
        2 * long >= sum(lengths)
        and len(document.sentences) >= SEVERAL * (ends_between + 1)
        and ends_between >= WRAPPED * (len(lengths) - 1)
    )
