from collections.abc import Callable
from pathlib import Path

import pytest

from attn_core.models.files import ModelSpec
from attn_core.reproduction.job import ReproductionSettings
from attn_core.reproduction.runner import Asked, reproduce
from attn_core.study.corpus import Corpus
from tests.study.made_up import write_corpus

SMALL = ReproductionSettings(windows=2, shard_characters=900)


@pytest.fixture(scope="session")
def tiny(tiny_folder: Callable[[str], Path]) -> ModelSpec:
    return ModelSpec(str(tiny_folder("bert")))


@pytest.fixture(scope="session")
def novels(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return Corpus(str(write_corpus(tmp_path_factory.mktemp("corpora") / "novels", texts=6)))


@pytest.fixture(scope="session")
def whole(tiny: ModelSpec, novels: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a reproduction of six texts, as few as a test takes, with both controls: read it only."""
    out = tmp_path_factory.mktemp("reproductions") / "whole"
    reproduce(Asked(novels, (tiny,), twins=1), out, SMALL)
    return out
