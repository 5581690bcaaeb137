"""What goes to a worker of a reproduction, and what decides its numbers: nothing here needs torch."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from attn_core.checks import check_integer
from attn_core.runs.job import ModelJob
from attn_core.study.corpus import Corpus, Text
from attn_core.study.plan import beginning
from attn_core.texts.passages import Layout

WINDOWS = 4  # of each document: the first pages of many books say more than all pages of one
CHARACTERS = 4096  # of a text for each of its windows: twice what prose needs
LEAST = 20_000  # characters that tell its language, whatever is counted of it


@dataclass(frozen=True)
class ReproductionSettings:
    """What decides the numbers, apart from corpora, models and choices.

    windows: of each document only the first so many are read. min_tokens: a text with fewer is listed as too short.
    shard_characters: text that is counted at once.
    Raises InputError for what is none of these.
    """

    windows: int = WINDOWS
    min_tokens: int = 16
    shard_characters: int = 64_000

    def __post_init__(self) -> None:
        check_integer(self.windows, 1, "The number of windows of a document")
        check_integer(self.min_tokens, 0, "The least number of tokens of a text")
        check_integer(self.shard_characters, 1, "The number of characters of a shard")


DEFAULT = ReproductionSettings()


@dataclass(frozen=True)
class Beginnings:
    """The texts of a corpus as far as they are read: cut at the last line end, or blank, behind so many windows."""

    corpus: Corpus
    windows: int

    def texts(self) -> Iterator[Text]:
        room = max(LEAST, CHARACTERS * (self.windows + 1))
        for one in self.corpus.texts():
            yield replace(one, text=None if one.text is None else beginning(one.text, room))


@dataclass(frozen=True)
class ReproductionJob(ModelJob):
    """A shard of a corpus as one model reads it in one layout."""

    layout: Layout
    language: str
    settings: ReproductionSettings
