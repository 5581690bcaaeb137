"""Shards of texts that have hardly a character."""

from pathlib import Path

from attn_core.study.corpus import Corpus
from attn_core.study.plan import shards


def test_a_text_fills_a_shard_by_64_characters_whatever_its_length(tmp_path: Path) -> None:
    (tmp_path / "short.txt").write_text("x\n" * 45, encoding="utf-8")
    made = shards(Corpus(str(tmp_path / "short.txt"), documents="line").texts(), characters=1300)
    assert [len(shard.pieces) for shard in made] == [20, 20, 5]  # 20 x (64 + 1) characters
