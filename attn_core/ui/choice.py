"""What the user has chosen: everything that decides the numbers on the screen."""

from dataclasses import dataclass, field, replace
from pathlib import Path

from attn_core.models.files import ModelSpec
from attn_core.similarity.strong_pairs import Settings
from attn_core.similarity.words import Unit
from attn_core.texts.passages import Layout


@dataclass(frozen=True)
class StudyChoice:
    """A finished study by its folder. `made`: when its tables were written, since a folder may get another study."""

    folder: Path
    made: int


@dataclass(frozen=True)
class TextKey:
    """A text as one model reads it, in tokens or words: by this the caches know what comes of it. window: None for all."""

    spec: ModelSpec
    text: str
    language: str
    layout: Layout
    window: int | None
    unit: Unit = "tokens"

    @property
    def number(self) -> int:
        """The window that is meant, as people count it, from 1."""
        assert self.window is not None, "one window is meant"
        return self.window + 1

    def at(self, window: int | None) -> "TextKey":
        """The same text at another window."""
        return replace(self, window=window)

    @property
    def of_tokens(self) -> "TextKey":
        """The same in tokens."""
        return replace(self, unit="tokens")

    @property
    def whole(self) -> "TextKey":
        """What is read sentence by sentence has neither window, layout nor unit."""
        return replace(self, layout="plain", window=None, unit="tokens")


@dataclass(frozen=True)
class Choice:
    """Model, text, window (from 0; None, unless the user chooses one, pools all) and settings. `title` names the text."""

    spec: ModelSpec
    title: str
    text: str
    language: str = "en"
    layout: Layout = "plain"
    window: int | None = None
    unit: Unit = "tokens"
    settings: Settings = field(default_factory=Settings)

    @property
    def key(self) -> TextKey:
        """What is read, whatever is then counted of it."""
        return TextKey(self.spec, self.text, self.language, self.layout, self.window, self.unit)

    @property
    def of_one_window(self) -> "Choice":
        """The same for a page of one window: the chosen one, else the first."""
        return replace(self, window=self.window or 0)
