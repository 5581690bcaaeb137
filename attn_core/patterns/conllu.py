"""CoNLL-U: dependencies, and coreference in CorefUD's `Entity=` (Nedoluzhko et al. 2022), as word pairs of whole documents.

A document is what lies between `# newdoc` lines; where there are none, each sentence stands alone, since neighbours then
need not belong together. The words of a surface token that are no parts of it ("im": "in dem") are one word here. Empty
nodes are left out.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from attn_core.errors import InputError
from attn_core.given import whole_number
from attn_core.io.paths import shown
from attn_core.patterns.annotated import AnnotatedText, Question, Relation
from attn_core.texts.documents import Span

COLUMNS = 10
BRACKET = re.compile(r"\((?P<opened>[^()]+)(?P<whole>\)?)|(?P<closed>[^()]+)\)")
COREFERENCE, OF_PRONOUN, OTHER_WORD = "coreference", "coreference of a pronoun", "coreference, another word"
HEADS = ("head", "minspan")  # which words of a mention it is about, as CorefUD and GUM call it

Row = tuple[int, list[str]]  # the number of a line, and its columns


class _Block(NamedTuple):
    """A sentence as it stands in the file. comments: name -> value of `# name = value`, "" for one without value."""

    comments: dict[str, str]
    rows: list[Row]


@dataclass(frozen=True)
class _Word:
    """A syntactic word. place: of its surface word in the document. number, head: words of its sentence, from 1; 0 is none."""

    place: int
    number: int
    lemma: str
    tag: str
    head: int
    relation: str
    entity: str
    line: int


@dataclass
class _Reading:
    """A document as it grows sentence by sentence."""

    name: str
    fields: tuple[str, ...]
    text: str = ""
    spans: list[Span] = field(default_factory=list)
    sentences: list[list[_Word]] = field(default_factory=list)
    bounds: list[Span] = field(default_factory=list)


class _Mention(NamedTuple):
    """A mention of an entity by the word that it is about."""

    entity: str
    word: _Word


def read_conllu(text: str, name: str) -> list[AnnotatedText]:
    """The documents of a CoNLL-U file. name: of the file, for messages and for documents without a name of their own.

    Raises InputError with the number of the first line that is not CoNLL-U.
    """
    blocks = list(_blocks(text, name))
    whole = any("newdoc id" in block.comments or "newdoc" in block.comments for block in blocks)
    readings: list[_Reading] = []
    fields: tuple[str, ...] = ("eid",)
    for block in blocks:
        told = block.comments
        if "global.Entity" in told:
            fields = tuple(told["global.Entity"].split("-"))
        identity = told.get("newdoc id") or told.get("newdoc")
        if not readings or not whole or identity is not None:
            own = identity or (None if whole else told.get("sent_id"))
            readings.append(_Reading(own or f"{name}:{block.rows[0][0]}", fields))
        _add_sentence(readings[-1], block, name)
    return [_annotated(reading, name) for reading in readings]


def _blocks(text: str, name: str) -> Iterator[_Block]:
    comments: dict[str, str] = {}
    rows: list[Row] = []
    for number, line in enumerate([*text.split("\n"), ""], start=1):
        line = line.rstrip("\r")
        if line.startswith("#") and not rows:
            key, _, value = line.lstrip("# ").partition("=")
            comments.setdefault(key.strip(), value.strip())
        elif line.strip():
            columns = line.split("\t")
            if len(columns) != COLUMNS:
                raise _malformed(name, number, f"has {len(columns)} columns and not {COLUMNS}")
            rows.append((number, columns))
        elif rows:
            yield _Block(comments, rows)
            comments, rows = {}, []


def _add_sentence(reading: _Reading, block: _Block, name: str) -> None:
    """Append a sentence to a document."""
    paragraph = "newpar" in block.comments or "newpar id" in block.comments
    reading.text += ("\n" if paragraph else " ") if reading.text else ""
    begin, words, blank = len(reading.text), [], ""
    for surface, misc, rows in _surfaces(block.rows, name):
        reading.text += blank + surface
        blank = "" if "SpaceAfter=No" in misc.split("|") else " "
        places = _places(reading, surface, [columns[1] for _, columns in rows])
        words += [_word(place, row, name) for place, row in zip(places, rows, strict=True)]
    for word in words:
        if word.head > len(words) or word.head == word.number:
            raise _malformed(name, word.line, f"has the head {word.head}, which is no other word of the sentence")
    _refuse_circles(words, name)
    reading.sentences.append(words)
    reading.bounds.append((begin, len(reading.text)))


def _refuse_circles(words: Sequence[_Word], name: str) -> None:
    """Raises InputError where the heads of a word never lead to a root, which is so wherever a sentence has none."""
    rooted: set[int] = {0}
    for word in words:
        way, at = list[int](), word.number
        while at not in rooted:
            if at in way:
                raise _malformed(name, word.line, "has heads that lead round in a circle and never to a root")
            way.append(at)
            at = words[at - 1].head
        rooted.update(way)


def _surfaces(rows: Sequence[Row], name: str) -> Iterator[tuple[str, str, list[Row]]]:
    """Each token as it stands in the text, its last column, and the words that it is made of; empty nodes left out."""
    waiting = [row for row in rows if not re.fullmatch(r"\d+\.\d+", row[1][0])]
    expected = 1
    while waiting:
        line, columns = waiting.pop(0)
        span = re.fullmatch(r"(\d+)(?:-(\d+))?", columns[0])
        first, last = (whole_number(span[1]), whole_number(span[2] or span[1])) if span else (None, None)
        if first != expected or last is None or last < first:
            raise _malformed(name, line, f"numbers its word {shown(columns[0])!r} where {expected} is next")
        size, parts = last - first + 1, [(line, columns)]
        if "-" in columns[0]:
            parts, waiting = waiting[:size], waiting[size:]
        if len(parts) != size or [part[1][0] for part in parts] != [str(first + at) for at in range(size)]:
            raise _malformed(name, line, f"announces the words {columns[0]} and they do not follow")
        yield columns[1], columns[9], parts
        expected = last + 1


def _places(reading: _Reading, surface: str, forms: Sequence[str]) -> list[int]:
    """Note down where the words of a token stand, which is at the end of the text; the place of each in the document."""
    at = len(reading.text) - len(surface)
    spans = [(at, at + len(surface))]
    if "".join(forms) == surface:
        ends = [at + sum(map(len, forms[: number + 1])) for number in range(len(forms))]
        spans = list(zip([at, *ends[:-1]], ends, strict=True))
    first = len(reading.spans)
    reading.spans += spans
    return [min(first + number, len(reading.spans) - 1) for number in range(len(forms))]


def _word(place: int, row: Row, name: str) -> _Word:
    line, (number, _, lemma, tag, _, _, head, relation, _, misc) = row
    of = whole_number(head)
    if of is None:
        raise _malformed(name, line, f"has the head {shown(head)!r}, which is no number")
    entity = next((part.partition("=")[2] for part in misc.split("|") if part.startswith("Entity=")), "")
    return _Word(place, int(number), lemma, tag, of, relation, entity, line)


def _annotated(reading: _Reading, name: str) -> AnnotatedText:
    relations = [*_dependencies(reading), *_coreferences(_mentions(reading, name))]
    return AnnotatedText(reading.name, reading.text, tuple(reading.spans), tuple(reading.bounds), tuple(relations))


def _dependencies(reading: _Reading) -> list[Relation]:
    """A relation by its label: each dependent and its head; asked of it, all other words of its sentence are candidates."""
    by_label: dict[str, list[Question]] = {}
    for words in reading.sentences:
        places = sorted({word.place for word in words})
        for word in words:
            if word.head and (head := words[word.head - 1].place) != word.place:
                candidates = tuple(place for place in places if place != word.place)
                by_label.setdefault(word.relation, []).append(Question(word.place, candidates, frozenset([head])))
    return [_relation(label, questions) for label, questions in sorted(by_label.items())]


def _mentions(reading: _Reading, name: str) -> list[_Mention]:
    """The mentions of a document in the order of the words that they are about; of one in several parts the first."""
    mentions: list[_Mention] = []
    opened: dict[str, list[tuple[int, str]]] = {}
    words = [word for sentence in reading.sentences for word in sentence]
    for at, word in enumerate(words):
        for bracket in BRACKET.finditer(word.entity):
            entity = (bracket["opened"] or bracket["closed"]).split("-")[0]
            if bracket["opened"]:
                opened.setdefault(entity, []).append((at, bracket["opened"]))
            if bracket["whole"] or bracket["closed"]:
                if not opened.get(entity):
                    raise _malformed(name, word.line, f"closes the entity {entity}, which is not open")
                first, told = opened[entity].pop()
                identity, _, part = entity.partition("[")
                if not part or part.startswith("1/"):
                    mentions.append(_Mention(identity, _about(words[first : at + 1], told, reading.fields)))
    for first, told in (one for waiting in opened.values() for one in waiting):
        raise _malformed(name, words[first].line, f"opens the entity {told}, which is never closed")
    return sorted(mentions, key=lambda mention: mention.word.place)


def _about(words: Sequence[_Word], told: str, fields: Sequence[str]) -> _Word:
    """The word that a mention is about: the one that is named, else the first whose head lies outside of it."""
    values = dict(zip(fields, told.split("-"), strict=False))
    named = next((values[key] for key in HEADS if key in values), "").split(",")[0]
    at = whole_number(named)
    if at is not None and 1 <= at <= len(words):
        return words[at - 1]
    inside = {word.number for word in words}
    return next((word for word in words if word.head not in inside), words[-1])


def _coreferences(mentions: Sequence[_Mention]) -> list[Relation]:
    """Each mention and the one of its entity before it; asked of it, the words of all earlier mentions are candidates."""
    by_kind: dict[str, list[Question]] = {}
    for at, mention in enumerate(mentions):
        earlier = [one for one in mentions[:at] if one.word.place < mention.word.place]
        own = [one for one in earlier if one.entity == mention.entity]
        if not own:
            continue
        right = frozenset(one.word.place for one in own)
        asked = Question(mention.word.place, tuple(sorted({one.word.place for one in earlier})), right)
        kinds = [COREFERENCE]
        if mention.word.tag == "PRON":
            kinds.append(OF_PRONOUN)
        elif all(mention.word.lemma.casefold() != one.word.lemma.casefold() for one in own):
            kinds.append(OTHER_WORD)
        for kind in kinds:
            by_kind.setdefault(kind, []).append(asked)
    return [_relation(kind, questions) for kind, questions in by_kind.items()]


def _relation(name: str, questions: Sequence[Question]) -> Relation:
    """Each word that is asked, and the last of its right ones."""
    return Relation(name, tuple((asked.word, max(asked.right)) for asked in questions), tuple(questions))


def _malformed(name: str, line: int, what: str) -> InputError:
    return InputError(f"{name} is no CoNLL-U: line {line} {what}.")
