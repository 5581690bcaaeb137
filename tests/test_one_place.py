"""A statistic that is written in one place is everywhere: in the tables of a text and of a study, with its interval."""

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from attn_core.models.files import ModelSpec

ROOT = Path(__file__).parents[1]
MADE_UP = """
    import sys
    from pathlib import Path

    from attn_core.measures import pair_properties, statistics

    def half_of_distance(passage, first, second):
        return (second - first) / 2  # a fraction: sums of whole numbers would lose it

    new = statistics.Statistic("made_up", "Made up", "tokens", "?", pair_properties.mean_of(half_of_distance))
    statistics.STATISTICS += (new,)
    statistics.COUNTED += (new,)
    statistics.BY_NAME["made_up"] = statistics.BY_LABEL["Made up"] = new

    from attn_core.analysis.one_text import analyze
    from attn_core.charts.head_map import statistic_map
    from attn_core.head import Head
    from attn_core.measures.clusters import cluster_heads
    from attn_core.measures.comparison import side_by_side
    from attn_core.models.files import ModelSpec
    from attn_core.similarity.strong_pairs import Settings
    from attn_core.study.corpus import Corpus
    from attn_core.study.runner import run_study
    from attn_core.study.settings import StudySettings

    model, texts, out = sys.argv[1:]
    text = analyze(Path(texts, "000.txt").read_text(), model)
    settings = StudySettings(Settings(share=0.3), shard_characters=500)
    study = run_study(Corpus(texts), ModelSpec(model), Path(out), settings).of()
    for results in (text, study):
        for table in (results.heads, results.layers):
            assert (table["made_up"] * 2 - table["mean_distance"]).abs().max() < 1e-6
            assert (table["chance_made_up"] * 2 - table["chance_mean_distance"]).abs().max() < 1e-6
        assert "made_up" in cluster_heads(results.heads).z_scores
        assert (side_by_side(results.heads, Head(0, 0), Head(0, 1))["statistic"] == "Made up").any()
        assert statistic_map(results.heads, new).to_dict()
    for whole in (text, study.study):
        assert b"made_up" in whole.files()["heads.csv"]
    for table in (study.heads, study.layers):
        assert (table["made_up_low"] <= table["made_up"] + 1e-9).all()
        assert (table["made_up"] <= table["made_up_high"] + 1e-9).all()
    print("everywhere")
"""


@pytest.mark.slow
@pytest.mark.long
def test_a_made_up_statistic_stands_everywhere(tmp_path: Path, tiny: ModelSpec) -> None:
    from tests.study.made_up import write_corpus

    texts = write_corpus(tmp_path / "texts", texts=6)
    arguments = [tiny.name, str(texts), str(tmp_path / "study")]
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(MADE_UP), *arguments], cwd=ROOT, capture_output=True, text=True
    )
    assert done.stdout.strip().endswith("everywhere"), done.stderr[-2000:]
