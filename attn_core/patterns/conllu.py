"""Documents of CoNLL-U files with their dependency relations and their coreference (`Entity=` of CorefUD, Nedoluzhko et
al. 2022). The package `conllu` parses the columns; this module parses the entity brackets.

A document begins at a `# newdoc` line; without one, each sentence is a document. The syntactic words of a surface
token that do not spell it ("in dem" of "im") count as one word. Mentions do not include empty nodes.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate, groupby, pairwise
from typing import NamedTuple

import conllu
from conllu.exceptions import ParseException
from conllu.parser import DEFAULT_FIELDS

from attn_core.errors import InputError, cause
from attn_core.io.paths import printable
from attn_core.texts.annotated import AnnotatedText, First, Question, Relation
from attn_core.texts.sentences import Span

BRACKET = re.compile(r"(\(?)([^()]+)(\)?)")  # one that opens, a label, one that closes
COREFERENCE, OF_PRONOUN = "coreference", "coreference of a pronoun"
IDENTITIES = ("eid", "GRP")  # the field of a mention that names its entity, in CorefUD and in GUM
MOST_OPEN = 200  # mentions within each other, so that reading takes no longer than the file is long
NEW_DOCUMENT, NEW_PARAGRAPH = {"newdoc", "newdoc id"}, {"newpar", "newpar id"}


class _Word(NamedTuple):
    """A syntactic word. place: index of its surface word. head: index of its head in the document, -1 for a root."""

    place: int
    head: int
    relation: str
    tag: str


@dataclass
class _Document:
    """A document under construction: `add` appends sentences, `annotated` returns the result.

    fields: names of the parts of an entity label. opened: open mentions, (first word, label). mentions: closed ones,
    (entity, head), where the head is the first word whose own head is outside the mention.
    """

    name: str
    fields: Sequence[str]
    pieces: list[str] = field(default_factory=list)
    length: int = 0
    spans: list[Span] = field(default_factory=list)
    sentences: list[Span] = field(default_factory=list)
    words: list[_Word] = field(default_factory=list)
    opened: list[tuple[int, str]] = field(default_factory=list)
    mentions: list[tuple[str, _Word]] = field(default_factory=list)
    questions: dict[str, list[Question]] = field(default_factory=lambda: defaultdict(list))

    def add(self, sentence: conllu.TokenList) -> None:
        """Append a sentence. Raises ValueError if its words are inconsistent."""
        words = [token for token in sentence if isinstance(token["id"], int)]
        _check(sentence, len(words))
        if self.length:
            self._write("\n" if NEW_PARAGRAPH & sentence.metadata.keys() else " ")
        begin, first = self.length, len(self.words)
        for place, word in zip(self._add_text(sentence, words), words, strict=True):
            head = first + word["head"] - 1 if word["head"] else -1
            self.words.append(_Word(place, head, word["deprel"], word["upos"]))
        self.sentences.append((begin, self.length))
        self._ask_for_heads(first)
        after = first
        for token in sentence:  # an empty node lies between two words
            before, after = after, after + isinstance(token["id"], int)
            if not _is_range(token) and set(IDENTITIES) & set(self.fields):
                self._read_brackets((token["misc"] or {}).get("Entity") or "", before, after)

    def annotated(self) -> AnnotatedText:
        """The text with its annotation. Raises ValueError for a mention that is not closed."""
        for _, label in self.opened:
            raise ValueError(f"the entity {printable(label)} is never closed")
        self._ask_for_mentions()
        relations = tuple(Relation(name, tuple(questions)) for name, questions in sorted(self.questions.items()))
        return AnnotatedText(self.name, "".join(self.pieces), tuple(self.spans), tuple(self.sentences), relations)

    def _write(self, piece: str) -> None:
        self.pieces.append(piece)
        self.length += len(piece)

    def _add_text(self, sentence: conllu.TokenList, words: Sequence[conllu.Token]) -> list[int]:
        """Append words to the text; return the surface word of each. A token that its words spell is split."""
        places, blank = list[int](), ""
        ranges = {token["id"][0]: token for token in sentence if _is_range(token)}
        while len(places) < len(words):
            token = ranges.get(len(places) + 1, words[len(places)])
            last = token["id"][2] if _is_range(token) else token["id"]
            forms = [word["form"] for word in words[len(places) : last]]
            self._write(blank + token["form"])
            blank = "" if (token["misc"] or {}).get("SpaceAfter") == "No" else " "
            ends = [self.length - len(token["form"]), self.length]
            if "".join(forms) == token["form"]:
                ends = [ends[0], *(ends[0] + end for end in accumulate(map(len, forms)))]
            begun = len(self.spans)
            self.spans += pairwise(ends)
            places += [min(begun + number, len(self.spans) - 1) for number in range(len(forms))]
        return places

    def _ask_for_heads(self, first: int) -> None:
        """Add a question for the head of each word of the last sentence; candidates are its other words."""
        places = range(self.words[first].place, self.words[-1].place + 1) if self.words[first:] else range(0)
        for word in self.words[first:]:
            if word.head >= 0 and (head := self.words[word.head].place) != word.place:
                self.questions[word.relation].append(Question(word.place, places, (head,)))

    def _read_brackets(self, entity: str, before: int, after: int) -> None:
        """Open and close mentions; of split ones keep the first part. before, after: words before and up to here."""
        for opens, label, closes in BRACKET.findall(entity):
            if opens:
                self.opened.append((before, label))
            if len(self.opened) > MOST_OPEN:
                raise ValueError(f"more than {MOST_OPEN} entities are open at once")
            if closes:
                begun = [one for one in self.opened if label in (one[1], self._identity(one[1]))]
                if not begun:
                    raise ValueError(f"the entity {printable(label)} is closed and not open")
                self.opened.remove(begun[-1])
                identity, _, part = self._identity(begun[-1][1]).partition("[")
                words = range(begun[-1][0], after)
                if identity and words and (not part or part.startswith("1/")):
                    head = next((at for at in words if self.words[at].head not in words), words[-1])
                    self.mentions.append((identity, self.words[head]))

    def _identity(self, label: str) -> str:
        """The entity that a label names."""
        values = zip(self.fields, label.split("-"), strict=False)
        return next((value for key, value in values if key in IDENTITIES), "")

    def _ask_for_mentions(self) -> None:
        """Add a question for each mention: which earlier mentions are of the same entity, among all earlier ones."""
        mentions = sorted(self.mentions, key=lambda mention: mention[1].place)
        places: list[int] = []
        of_entity: dict[str, list[int]] = defaultdict(list)
        for place, at_place in groupby(mentions, key=lambda mention: mention[1].place):
            same = list(at_place)
            for entity, word in same:
                if right := of_entity.get(entity):
                    question = Question(place, First(places, len(places)), First(right, len(right)))
                    self.questions[COREFERENCE].append(question)
                    if word.tag == "PRON":
                        self.questions[OF_PRONOUN].append(question)
            for entity in {entity for entity, _ in same}:
                of_entity[entity].append(place)
            places.append(place)


def read_conllu(text: str, name: str) -> list[AnnotatedText]:
    """The documents of a CoNLL-U file; a document without a name is named by its number. name: of the file, for errors.

    Raises InputError that names the first invalid sentence.
    """
    documents: list[_Document] = []
    fields: Sequence[str] = ()
    whole = re.search(r"^#\s*newdoc\b", text, re.MULTILINE) is not None
    called = name
    try:
        for number, block in enumerate(re.split(r"\n\s*\n", text.strip()), start=1):
            called = f"sentence {number}"
            (sentence,) = conllu.parse(block) or [None]
            if not sentence:
                continue
            comments = sentence.metadata
            called += f" ({printable(comments['sent_id'])})" if comments.get("sent_id") else ""
            fields = tuple(comments["global.Entity"].split("-")) if "global.Entity" in comments else fields
            if not documents or not whole or NEW_DOCUMENT & comments.keys():
                own = comments.get("newdoc id") or comments.get("newdoc")
                own = own or (None if whole else comments.get("sent_id"))
                documents.append(_Document(own or str(number), fields))
            documents[-1].add(sentence)
        called = "a document"
        return [document.annotated() for document in documents]
    except (ParseException, ValueError) as error:
        raise InputError(f"{name} is no CoNLL-U: {called}: {cause(error)}.") from None


def _is_range(token: conllu.Token) -> bool:
    """Whether a token is a surface token of several syntactic words."""
    return isinstance(token["id"], tuple) and token["id"][1] == "-"


def _check(sentence: conllu.TokenList, words: int) -> None:
    """Raise ValueError for missing columns, a wrong numbering, or a head outside the sentence."""
    at = 0
    for token in sentence:
        number = token["id"]
        called = printable("".join(map(str, number)) if isinstance(number, tuple) else str(number))
        if lacking := [column for column in DEFAULT_FIELDS if column not in token]:
            raise ValueError(f"word {called} lacks the columns {', '.join(lacking)}")
        if _is_range(token) and number[2] > words:
            raise ValueError(f"the words {called} are announced and do not follow")
        if isinstance(number, int):
            at += 1
            if number != at:
                raise ValueError("its words are not numbered 1, 2, 3 and so on")
            if token["head"] is None or not 0 <= token["head"] <= words or token["head"] == at:
                raise ValueError(f"word {at} has the head {token['head']}, which is no other word of the sentence")
