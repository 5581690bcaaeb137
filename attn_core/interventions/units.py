"""The texts over which removals are measured, and their two halves: what is chosen on the one is shown on the other.

A corpus of one text is cut into blocks, which then stand for texts: intervals are over what such a text goes on with, and
no longer over texts.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import islice
from typing import Literal

from attn_core.study.corpus import Corpus, Text
from attn_core.study.plan import cut

Half = Literal["all", "choosing", "shown"]
BLOCK = 2_000  # characters of a lone text that stand for a text, about a window


@dataclass(frozen=True)
class Units(Corpus):
    """A corpus, or every second of its texts, or groups. half: the first, the third, ... choose; the others are shown."""

    half: Half = "all"

    @classmethod
    def of(cls, corpus: Corpus, half: Half = "all") -> "Units":
        """The texts of a corpus that belong to a half."""
        return cls(corpus.source, corpus.column, corpus.documents, corpus.limit, corpus.groups, half)

    @cached_property
    def lone(self) -> bool:
        """Whether there is one text alone, so that its blocks stand for texts."""
        return len(list(islice(super().texts(), 2))) == 1

    @property
    def in_words(self) -> str:
        """What one unit is."""
        if self.lone:
            return f"blocks of at most {BLOCK:,} characters of one text"
        return "texts" if self.groups is None else "groups of texts"

    def texts(self) -> Iterator[Text]:
        """The texts of this half, numbered as in the whole corpus."""
        for text in self._blocks() if self.lone else super().texts():
            if self.half == "all" or (self.half == "choosing") == (text.group % 2 == 0):
                yield text

    def fingerprint(self) -> str:
        """That of the corpus, and the half."""
        whole = super().fingerprint()
        return whole if self.half == "all" else sha256(f"{whole}|{self.half}".encode()).hexdigest()

    def _blocks(self) -> Iterator[Text]:
        (text,) = super().texts()
        blocks = [None] if text.text is None else cut(text.text, BLOCK)
        for number, block in enumerate(blocks):
            name = f"{text.name}, block {number + 1}"
            yield Text(number, name, block, text.problem, (number + 1) / len(blocks), number)
