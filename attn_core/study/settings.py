"""What decides the numbers of a study, apart from model and corpus; and what goes to its workers."""

from dataclasses import asdict, dataclass
from typing import Any

from attn_core.checks import check_choice, check_integer, check_type
from attn_core.runs.job import ModelJob
from attn_core.similarity.strong_pairs import Settings
from attn_core.similarity.words import UNITS, Unit
from attn_core.texts.languages import AUTO, checked_language
from attn_core.texts.passages import KNOWN_LAYOUTS, Layout


@dataclass(frozen=True)
class StudySettings:
    """The choices for one text, and those that only a study has.

    unit: of what pairs are. min_tokens: a text with fewer is listed as too short (our choice). shard_characters: about how
    much text is counted, and can be lost, at once. batch_tokens: tokens of one forward pass, padding included; fixed, because
    another batching changes float32 sums in their last digit.
    Raises InputError for what is none of these.

    >>> attn_core.StudySettings(layout="separated").analysis.share
    0.01
    """

    analysis: Settings = Settings()
    layout: Layout = "plain"
    language: str = AUTO
    unit: Unit = "tokens"
    min_tokens: int = 16
    shard_characters: int = 128_000
    batch_tokens: int = 2048

    def __post_init__(self) -> None:
        check_type(self.analysis, Settings, "What decides the strong pairs")
        check_choice(self.unit, UNITS, "A unit")
        check_choice(self.layout, KNOWN_LAYOUTS, "A layout")
        checked_language(self.language, "")
        check_integer(self.min_tokens, 0, "The least number of tokens of a text")
        check_integer(self.shard_characters, 1, "The number of characters of a shard")
        check_integer(self.batch_tokens, 1, "The number of tokens of a forward pass")

    def by_name(self) -> dict[str, Any]:
        """Every choice, those for one text among them, as manifests and provenances have them."""
        chosen = asdict(self)
        return {**chosen.pop("analysis"), **chosen}


DEFAULT = StudySettings()


@dataclass(frozen=True)
class Job(ModelJob):
    """A shard of a study, and what decides its numbers."""

    settings: StudySettings
