from pathlib import Path

import pytest

from attn_core.similarity.strong_pairs import Settings
from attn_core.study.settings import StudySettings
from tests.study.made_up import write_corpus

# Of windows of some 60 tokens, each of which has pairs enough to be counted.
SMALL = StudySettings(Settings(share=0.1), shard_characters=700, batch_tokens=300)


@pytest.fixture
def corpus_folder(tmp_path: Path) -> Path:
    return write_corpus(tmp_path / "texts", texts=14)


@pytest.fixture
def small() -> StudySettings:
    """Several shards even for a small corpus."""
    return SMALL
