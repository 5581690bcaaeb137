"""CoNLL-U, read by the `conllu` package: dependencies, and coreference in CorefUD's `Entity=` (Nedoluzhko et al. 2022), as
questions of the words of whole documents.

A document is what lies between `# newdoc` lines; where there are none, each sentence stands alone, since neighbours then
need not belong together. The words of a surface token that are no parts of it ("im": "in dem") are one word here. An empty
node does not stand in the text: a mention that begins or ends on one has its other words.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import NamedTuple

import conllu
from conllu.exceptions import ParseException
from conllu.parser import DEFAULT_FIELDS

from attn_core.errors import InputError, cause
from attn_core.io.paths import shown
from attn_core.texts.annotated import AnnotatedText, Question, Relation
from attn_core.texts.documents import Span

BRACKET = re.compile(r"\((?P<opened>[^()]+)(?P<whole>\)?)|(?P<closed>[^()]+)\)")
COREFERENCE, OF_PRONOUN = "coreference", "coreference of a pronoun"
IDENTITIES = ("eid", "GRP")  # which entity a mention is of, as CorefUD and GUM call it
NEW_DOCUMENT, NEW_PARAGRAPH = {"newdoc", "newdoc id"}, {"newpar", "newpar id"}


class _Word(NamedTuple):
    """A syntactic word. place: of its surface word in the document. head: number of a word of the document, -1 of a root."""

    place: int
    head: int
    relation: str
    tag: str


class _Mention(NamedTuple):
    """A mention of an entity by the word that it is about: the first whose head lies outside of it."""

    entity: str
    word: _Word


@dataclass
class _Document:
    """A document as it grows sentence by sentence.

    fields: what stands in the brackets of a mention. opened: mentions that are not closed yet, by their first word.
    """

    name: str
    fields: Sequence[str]
    text: str = ""
    spans: list[Span] = field(default_factory=list)
    sentences: list[Span] = field(default_factory=list)
    words: list[_Word] = field(default_factory=list)
    opened: list[tuple[int, str]] = field(default_factory=list)
    mentions: list[_Mention] = field(default_factory=list)
    questions: dict[str, list[Question]] = field(default_factory=dict)

    def add(self, sentence: conllu.TokenList) -> None:
        """Append a sentence. Raises ValueError for a word that contradicts another one."""
        _check(sentence)
        paragraph = NEW_PARAGRAPH & sentence.metadata.keys()
        self.text += ("\n" if paragraph else " ") if self.text else ""
        begin, first, words = len(self.text), len(self.words), _words_of(sentence)
        places = self._add_text(sentence, words)
        self.sentences.append((begin, len(self.text)))
        self.words += [
            _Word(place, first + word["head"] - 1 if word["head"] else -1, word["deprel"], word["upos"])
            for place, word in zip(places, words, strict=True)
        ]
        self._ask_for_heads(first)
        after = first
        for token in sentence:  # an empty node stands between two words
            before, after = after, after + isinstance(token["id"], int)
            if not _is_range(token):
                self._read_brackets((token["misc"] or {}).get("Entity") or "", before, after)

    def annotated(self) -> AnnotatedText:
        """The document as it is. Raises ValueError for a mention that is not closed."""
        for _, label in self.opened:
            raise ValueError(f"the entity {shown(label)} is never closed")
        self._ask_for_mentions()
        relations = tuple(Relation(name, tuple(asked)) for name, asked in sorted(self.questions.items()))
        return AnnotatedText(self.name, self.text, tuple(self.spans), tuple(self.sentences), relations)

    def _add_text(self, sentence: conllu.TokenList, words: Sequence[conllu.Token]) -> list[int]:
        """The place of each word in the document: those of a surface token are apart where they spell it."""
        places, blank = list[int](), ""
        ranges = {token["id"][0]: token for token in sentence if _is_range(token)}
        while len(places) < len(words):
            token = ranges.get(len(places) + 1, words[len(places)])
            last = token["id"][2] if _is_range(token) else token["id"]
            forms = [word["form"] for word in words[len(places) : last]]
            self.text += blank + token["form"]
            blank = "" if (token["misc"] or {}).get("SpaceAfter") == "No" else " "
            ends = [len(self.text) - len(token["form"]), len(self.text)]
            if "".join(forms) == token["form"]:
                ends = [ends[0], *(ends[0] + end for end in accumulate(map(len, forms)))]
            begun = len(self.spans)
            self.spans += pairwise(ends)
            places += [min(begun + number, len(self.spans) - 1) for number in range(len(forms))]
        return places

    def _ask_for_heads(self, first: int) -> None:
        """Ask each word of the last sentence for its head among all other words of it. first: the sentence's first word."""
        places = sorted({word.place for word in self.words[first:]})
        for word in self.words[first:]:
            if word.head >= 0 and (head := self.words[word.head].place) != word.place:
                candidates = tuple(place for place in places if place != word.place)
                self._ask(word.relation, Question(word.place, candidates, frozenset([head])))

    def _read_brackets(self, entity: str, before: int, after: int) -> None:
        """Note down the mentions that end here, of those in several parts the first part. before, after: words until here."""
        if not set(IDENTITIES) & set(self.fields):
            return
        for bracket in BRACKET.finditer(entity):
            if bracket["opened"]:
                self.opened.append((before, bracket["opened"]))
            if bracket["whole"] or bracket["closed"]:
                closed = bracket["opened"] or bracket["closed"]
                begun = [one for one in self.opened if closed in (one[1], self._identity(one[1]))]
                if not begun:
                    raise ValueError(f"the entity {shown(closed)} is closed and not open")
                self.opened.remove(begun[-1])
                identity, _, part = self._identity(begun[-1][1]).partition("[")
                words = range(begun[-1][0], after)
                if identity and words and (not part or part.startswith("1/")):
                    about = next((at for at in words if self.words[at].head not in words), words[-1])
                    self.mentions.append(_Mention(identity, self.words[about]))

    def _identity(self, label: str) -> str:
        """Which entity a mention is of."""
        values = zip(self.fields, label.split("-"), strict=False)
        return next((value for key, value in values if key in IDENTITIES), "")

    def _ask_for_mentions(self) -> None:
        """Ask each mention for those of its entity before it among all earlier mentions."""
        mentions = sorted(self.mentions, key=lambda mention: mention.word.place)
        for at, (entity, word) in enumerate(mentions):
            earlier = [one for one in mentions[:at] if one.word.place < word.place]
            right = frozenset(one.word.place for one in earlier if one.entity == entity)
            if right:
                asked = Question(word.place, tuple(sorted({one.word.place for one in earlier})), right)
                self._ask(COREFERENCE, asked)
                if word.tag == "PRON":
                    self._ask(OF_PRONOUN, asked)

    def _ask(self, relation: str, question: Question) -> None:
        self.questions.setdefault(relation, []).append(question)


def read_conllu(text: str, name: str) -> list[AnnotatedText]:
    """The documents of a CoNLL-U file. name: of the file, for messages; a document without a name is called by its number.

    Raises InputError with the first sentence that is not CoNLL-U.
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
            called += f" ({shown(comments['sent_id'])})" if comments.get("sent_id") else ""
            fields = tuple(comments["global.Entity"].split("-")) if "global.Entity" in comments else fields
            if not documents or not whole or NEW_DOCUMENT & comments.keys():
                own = (
                    comments.get("newdoc id") or comments.get("newdoc") or (None if whole else comments.get("sent_id"))
                )
                documents.append(_Document(own or str(number), fields))
            documents[-1].add(sentence)
        called = "a document"
        return [document.annotated() for document in documents]
    except (ParseException, ValueError) as error:
        raise InputError(f"{name} is no CoNLL-U: {called}: {cause(error)}.") from None


def _words_of(sentence: conllu.TokenList) -> list[conllu.Token]:
    """The syntactic words of a sentence."""
    return [token for token in sentence if isinstance(token["id"], int)]


def _is_range(token: conllu.Token) -> bool:
    """Whether a token is a surface token of several words."""
    return isinstance(token["id"], tuple) and token["id"][1] == "-"


def _check(sentence: conllu.TokenList) -> None:
    """Raises ValueError for a word that lacks columns or contradicts another one."""
    words = _words_of(sentence)
    for token in sentence:
        number = shown("".join(map(str, token["id"])) if isinstance(token["id"], tuple) else str(token["id"]))
        if lacking := [column for column in DEFAULT_FIELDS if column not in token]:
            raise ValueError(f"word {number} lacks the columns {', '.join(lacking)}")
        if _is_range(token) and token["id"][2] > len(words):
            raise ValueError(f"the words {number} are announced and do not follow")
    for at, word in enumerate(words, start=1):
        if word["id"] != at:
            raise ValueError("its words are not numbered 1, 2, 3 and so on")
        if word["head"] is None or not 0 <= word["head"] <= len(words) or word["head"] == at:
            raise ValueError(f"word {at} has the head {word['head']}, which is no other word of the sentence")
