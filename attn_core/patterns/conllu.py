"""CoNLL-U, read by the `conllu` package: dependencies, and coreference in CorefUD's `Entity=` (Nedoluzhko et al. 2022), as
word pairs of whole documents.

A document is what lies between `# newdoc` lines; where there are none, each sentence stands alone, since neighbours then
need not belong together. The words of a surface token that are no parts of it ("im": "in dem") are one word here. An empty
node does not stand in the text: a mention that begins or ends on one has its other words.
"""

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import conllu
from conllu.exceptions import ParseException
from conllu.parser import DEFAULT_FIELDS

from attn_core.errors import InputError, cause
from attn_core.io.paths import shown
from attn_core.texts.annotated import AnnotatedText, Question, Relation
from attn_core.texts.documents import Span

NUMBER = re.compile(r"[0-9]{1,9}")
BRACKET = re.compile(r"\((?P<opened>[^()]+)(?P<whole>\)?)|(?P<closed>[^()]+)\)")
COREFERENCE, OF_PRONOUN, OTHER_WORD = "coreference", "coreference of a pronoun", "coreference, another word"
IDENTITIES = ("eid", "GRP")  # which entity a mention is of, as CorefUD and GUM call it
HEAD, MINSPAN = "head", "minspan"  # which words of a mention it is about, as they call that; `head` counts empty nodes
EMPTY = -1


@dataclass(frozen=True)
class _Word:
    """A syntactic word. place: of its surface word in the document, `EMPTY` for an empty node. number, head: words of its
    sentence, from 1; 0 is none. called: what messages call it.
    """

    place: int
    number: int
    lemma: str
    tag: str
    head: int
    relation: str
    entity: str
    called: str


@dataclass
class _Reading:
    """A document as it grows sentence by sentence. fields: what stands in the brackets of a mention, if the file says so."""

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
    """The documents of a CoNLL-U file. name: of the file, for messages; a document without a name is called by its number.

    Raises InputError with the first sentence, and its word, that is not CoNLL-U.
    """
    sentences = list(_sentences(text, f"{name} is no CoNLL-U"))
    whole = any({"newdoc id", "newdoc"} & sentence.metadata.keys() for _, sentence in sentences)
    readings: list[_Reading] = []
    fields: tuple[str, ...] = ()
    for number, (called, sentence) in enumerate(sentences, start=1):
        comments = sentence.metadata
        if "global.Entity" in comments:
            fields = tuple(comments["global.Entity"].split("-"))
        if not readings or not whole or {"newdoc id", "newdoc"} & comments.keys():
            own = comments.get("newdoc id") or comments.get("newdoc") or (None if whole else comments.get("sent_id"))
            readings.append(_Reading(own or str(number), fields))
        _add_sentence(readings[-1], sentence, called)
    return [_annotated(reading) for reading in readings]


def _sentences(text: str, malformed: str) -> Iterator[tuple[str, conllu.TokenList]]:
    """The sentences of a file, each after the beginning of a message about it."""
    parsed, number = iter(conllu.parse_incr(io.StringIO(text))), 0
    while True:
        number += 1
        try:
            sentence = next(parsed)
        except StopIteration:
            return
        except (ParseException, ValueError) as error:
            raise InputError(f"{malformed}: sentence {number} cannot be read ({cause(error)}).") from None
        identity = sentence.metadata.get("sent_id")
        if sentence:
            yield f"{malformed}: sentence {number}{f' ({shown(identity)})' if identity else ''}", sentence


def _add_sentence(reading: _Reading, sentence: conllu.TokenList, called: str) -> None:
    """Append a sentence to a document."""
    paragraph = {"newpar", "newpar id"} & sentence.metadata.keys()
    reading.text += ("\n" if paragraph else " ") if reading.text else ""
    begin, places, blank = len(reading.text), list[int](), ""
    for surface, misc, forms in _surfaces(sentence, called):
        reading.text += blank + surface
        blank = "" if (misc or {}).get("SpaceAfter") == "No" else " "
        places += _places(reading, surface, forms)
    words = [_word(token, places, called) for token in sentence if not _is_range(token)]
    _refuse_circles([word for word in words if word.place != EMPTY])
    reading.sentences.append(words)
    reading.bounds.append((begin, len(reading.text)))


def _refuse_circles(words: Sequence[_Word]) -> None:
    """Raises InputError where the heads of a word never lead to a root, which is so wherever a sentence has none."""
    rooted: set[int] = {0}
    for word in words:
        way, at = list[int](), word.number
        while at not in rooted:
            if at in way:
                raise InputError(f"{word.called} has heads that lead round in a circle and never to a root.")
            way.append(at)
            at = words[at - 1].head
        rooted.update(way)


def _surfaces(sentence: conllu.TokenList, called: str) -> Iterator[tuple[str, dict[str, str] | None, list[str]]]:
    """Each token as it stands in the text, its last column, and the forms of the words that it is made of."""
    for token in sentence:
        if lacking := [column for column in DEFAULT_FIELDS if column not in token]:
            raise InputError(f"{called}, word {_number(token)} lacks the columns {', '.join(lacking)}.")
    words = [token for token in sentence if not isinstance(token["id"], tuple)]
    if [word["id"] for word in words] != list(range(1, len(words) + 1)):
        raise InputError(f"{called} does not number its words 1, 2, 3 and so on.")
    ranges = {token["id"][0]: token for token in sentence if _is_range(token)}
    at = 0
    while at < len(words):
        token = ranges.get(at + 1, words[at])
        last = token["id"][2] if _is_range(token) else at + 1
        if last > len(words):
            raise InputError(f"{called} announces the words {_number(token)} and they do not follow.")
        yield token["form"], token["misc"], [word["form"] for word in words[at:last]]
        at = last


def _is_range(token: conllu.Token) -> bool:
    """Whether a token is a surface token of several words."""
    return isinstance(token["id"], tuple) and token["id"][1] == "-"


def _number(token: conllu.Token) -> str:
    return shown("".join(map(str, token["id"])) if isinstance(token["id"], tuple) else str(token["id"]))


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


def _word(token: conllu.Token, places: Sequence[int], called: str) -> _Word:
    """A word, or an empty node. places: of the words of its sentence."""
    called += f", word {_number(token)}"
    number, head = token["id"], token["head"]
    entity = (token["misc"] or {}).get("Entity") or ""
    if isinstance(number, tuple):
        return _Word(EMPTY, 0, token["lemma"], token["upos"], 0, "", entity, called)
    if head is None or not 0 <= head <= len(places) or head == number:
        raise InputError(f"{called} has the head {head}, which is no other word of the sentence.")
    return _Word(places[number - 1], number, token["lemma"], token["upos"], head, token["deprel"], entity, called)


def _annotated(reading: _Reading) -> AnnotatedText:
    relations = [*_dependencies(reading), *_coreferences(_mentions(reading))]
    return AnnotatedText(reading.name, reading.text, tuple(reading.spans), tuple(reading.bounds), tuple(relations))


def _dependencies(reading: _Reading) -> list[Relation]:
    """A relation by its label: each dependent and its head; asked of it, all other words of its sentence are candidates."""
    by_label: dict[str, list[Question]] = {}
    for nodes in reading.sentences:
        words = [node for node in nodes if node.place != EMPTY]
        places = sorted({word.place for word in words})
        for word in words:
            if word.head and (head := words[word.head - 1].place) != word.place:
                candidates = tuple(place for place in places if place != word.place)
                by_label.setdefault(word.relation, []).append(Question(word.place, candidates, frozenset([head])))
    return [_relation(label, questions) for label, questions in sorted(by_label.items())]


def _mentions(reading: _Reading) -> list[_Mention]:
    """The mentions of a document in the order of the words that they are about; of one in several parts the first."""
    mentions: list[_Mention] = []
    opened: list[tuple[int, str]] = []
    words = [word for sentence in reading.sentences for word in sentence]
    for at, word in enumerate(words):
        for bracket in BRACKET.finditer(word.entity):
            if bracket["opened"]:
                opened.append((at, bracket["opened"]))
            if bracket["whole"] or bracket["closed"]:
                closed = bracket["opened"] or bracket["closed"]
                begun = [one for one in opened if _closes(closed, one[1], reading.fields)]
                if not begun:
                    raise InputError(f"{word.called} closes the entity {shown(closed)}, which is not open.")
                opened.remove(begun[-1])
                first, told = begun[-1]
                identity, _, part = _identity(told, reading.fields).partition("[")
                about = _about(words[first : at + 1], told, reading.fields)
                if identity and about and (not part or part.startswith("1/")):
                    mentions.append(_Mention(identity, about))
    for first, told in opened:
        raise InputError(f"{words[first].called} opens the entity {shown(told)}, which is never closed.")
    return sorted(mentions, key=lambda mention: mention.word.place)


def _identity(told: str, fields: Sequence[str]) -> str:
    """Which entity a mention is of: the field for it, the first with a number where no fields are named; "" for kinds alone."""
    values = told.split("-")
    if fields:
        return next((value for key, value in zip(fields, values, strict=False) if key in IDENTITIES), "")
    return next((value for value in values if re.search(r"\d", value)), "")


def _closes(closed: str, told: str, fields: Sequence[str]) -> bool:
    """Whether a closing bracket belongs to an opening one, of which it repeats the beginning or the entity alone."""
    return told == closed or told.startswith(f"{closed}-") or _identity(told, fields) == closed


def _about(words: Sequence[_Word], told: str, fields: Sequence[str]) -> _Word | None:
    """The word that a mention is about: the one that is named, else the first whose head lies outside of it."""
    values = dict(zip(fields, told.split("-"), strict=False))
    in_text = [word for word in words if word.place != EMPTY]
    counted = words if HEAD in values else in_text
    head = values.get(HEAD, values.get(MINSPAN, "")).split(",")[0]
    named = int(head) if NUMBER.fullmatch(head) else 0
    if 1 <= named <= len(counted) and counted[named - 1].place != EMPTY:
        return counted[named - 1]
    inside = {word.number for word in in_text}
    return next((word for word in in_text if word.head not in inside), in_text[-1] if in_text else None)


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
