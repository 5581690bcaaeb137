"""Snippets of GAP (Webster et al. 2018): a pronoun, two names, and which name the pronoun refers to, if any."""

import csv
import io
import re
from collections.abc import Mapping

from attn_core.errors import InputError
from attn_core.io.paths import printable
from attn_core.texts.annotated import AnnotatedText, Question, Relation
from attn_core.texts.documents import read_document
from attn_core.texts.sentences import Span

COLUMNS = ("ID", "Text", "Pronoun", "Pronoun-offset", "A", "A-offset", "A-coref", "B", "B-offset", "B-coref")
ANTECEDENT = "pronoun and name (GAP)"
MEANT = ("A-coref", "B-coref")  # whether the pronoun refers to the name
OFFSET = re.compile(r"[0-9]{1,9}")
PIECES = re.compile(r"\w+|[^\w\s]")
csv.field_size_limit(20_000_000)  # of every reader in the process


def read_gap(text: str, name: str) -> list[AnnotatedText]:
    """The snippets of a GAP file, including those whose pronoun refers to neither name. name: of the file, for errors.

    The pronoun and each name are one word. Raises InputError with the number of the first invalid line.
    """
    table = csv.DictReader(io.StringIO(text), delimiter="\t", quoting=csv.QUOTE_NONE, restval="")
    line, snippets = 1, []
    try:
        if missing := [column for column in COLUMNS if column not in (table.fieldnames or ())]:
            raise ValueError(f"names no column {missing[0]}")
        for line, row in enumerate(table, start=2):
            snippets.append(_snippet(row, line))
    except (ValueError, csv.Error) as error:
        raise InputError(f"{name} is no GAP file: line {line} {error}.") from None
    return snippets


def _snippet(row: Mapping[str, str], line: int) -> AnnotatedText:
    text = row["Text"]
    pronoun, a, b = spans = [_span(row, text, column) for column in ("Pronoun", "A", "B")]
    if any(one[0] < other[1] and other[0] < one[1] for one, other in ((pronoun, a), (pronoun, b), (a, b))):
        raise ValueError("has a pronoun and names that overlap")
    pieces = [piece.span() for piece in PIECES.finditer(text)]
    outside = [span for span in pieces if all(span[1] <= start or end <= span[0] for start, end in spans)]
    words = tuple(sorted([*outside, *spans]))
    from_word, *names = (words.index(span) for span in spans)
    right = frozenset(word for word, column in zip(names, MEANT, strict=True) if _is_true(row, column))
    relations: tuple[Relation, ...] = ()
    if right:
        relations = (Relation(ANTECEDENT, (Question(from_word, tuple(sorted(names)), right),)),)
    document = read_document(text, "en")  # GAP is English
    return AnnotatedText(row["ID"] or str(line), text, words, document.sentences, relations)


def _span(row: Mapping[str, str], text: str, column: str) -> Span:
    written, offset = row[column], row[f"{column}-offset"]
    start = int(offset) if OFFSET.fullmatch(offset) else len(text)
    if not written or not text.startswith(written, start):
        raise ValueError(f"has no {written or column!r} at character {printable(offset) or '?'} of its text")
    return start, start + len(written)


def _is_true(row: Mapping[str, str], column: str) -> bool:
    value = row[column].strip().casefold()
    if value not in ("true", "false"):
        raise ValueError(f"says neither TRUE nor FALSE in its column {column}")
    return value == "true"
