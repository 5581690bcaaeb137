"""What decides the numbers of a study, apart from model and corpus."""

from dataclasses import dataclass

from attn_core.similarity.strong_pairs import Settings
from attn_core.texts.languages import AUTO
from attn_core.texts.passages import Layout


@dataclass(frozen=True)
class StudySettings:
    """The choices for one text, and those that only a study has.

    min_tokens: a text with fewer is listed as too short (our choice). shard_characters: about how much text is counted,
    and can be lost, at once. batch_tokens: tokens of one forward pass, padding included; fixed, because another
    batching changes float32 sums in their last digit. draws, seed: of the bootstrap.
    """

    analysis: Settings = Settings()
    layout: Layout = "plain"
    language: str = AUTO
    min_tokens: int = 16
    shard_characters: int = 128_000
    batch_tokens: int = 2048
    draws: int = 1000
    seed: int = 0


DEFAULT = StudySettings()
