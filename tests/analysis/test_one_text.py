"""From a reading to tables: their columns, and that every number in them follows from what is exported."""

import io
import random
from dataclasses import replace
from hashlib import sha256
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

import attn_core
from attn_core.analysis.one_text import Analysis, analyze_by_share, analyze_reading
from attn_core.analysis.reading import Reading, read
from attn_core.errors import TextError
from attn_core.io.exports import to_csv
from attn_core.io.paths import display_name
from attn_core.measures.few_pairs import is_above_chance
from attn_core.measures.roles import FEW
from attn_core.measures.stable_roles import SETTINGS
from attn_core.measures.statistics import COUNTED
from attn_core.measures.token_coverage import NONE, touched
from attn_core.models.records import LoadedModel
from attn_core.similarity.strong_pairs import Settings
from attn_core.texts.documents import read_document
from tests.families import TEXT, Tiny

SHORT = read_document(TEXT)
SENTENCES = [SHORT.sentence(index) for index in range(len(SHORT.sentences))]
LONG = " ".join(random.Random(0).choices(SENTENCES, k=20))  # windows of different sentences


@pytest.fixture(scope="module")
def bert(tiny_model: Tiny) -> LoadedModel:
    return tiny_model("bert")


@pytest.fixture(scope="module")
def long_reading(bert: LoadedModel) -> Reading:
    return read(bert, read_document(LONG), keep_maps=True)


@pytest.fixture(scope="module", params=["with special tokens", "without"])
def pooled(request: pytest.FixtureRequest, long_reading: Reading) -> Analysis:
    analysis = analyze_reading(long_reading, Settings(share=0.02, with_special=request.param != "without"))
    assert len(analysis.windows) > 1
    return analysis


@pytest.fixture(scope="module")
def exported(pooled: Analysis) -> dict[str, pd.DataFrame]:
    """The tables as they come back from their CSV files."""
    files = {name: to_csv(table, pooled.provenance) for name, table in pooled.tables().items()}
    return {name: pd.read_csv(io.BytesIO(data), keep_default_na=False) for name, data in files.items()}


def test_roles_are_those_of_analyses_under_nine_settings(pooled: Analysis) -> None:
    for name, (measure, share) in SETTINGS.items():
        alone = analyze_reading(pooled.reading, Settings(measure, share, pooled.settings.with_special))
        assert len(alone.windows) == len(pooled.reading.passages)
        assert pooled.roles[name].tolist() == alone.heads["role"].tolist()
    assert (pooled.roles["centred_3"] != FEW).all()


def test_tokens_stand_at_their_characters(pooled: Analysis) -> None:
    document = pooled.reading.document
    text = document.text
    for row in pooled.tokens.itertuples():
        if row.is_special:
            assert (row.start, row.end) == (-1, -1)
        else:
            start, end = document.sentences[row.sentence - 1]
            assert start <= row.start < row.end <= end
            assert text[row.start : row.end].lower().replace("é", "e") == row.token.removeprefix("##")


def everyone(exported: dict[str, pd.DataFrame]) -> list[pd.DataFrame]:
    """The tokens that may pair, by window, indexed by position."""
    tokens = exported["tokens"]
    if not exported["pairs"]["with_special"].iloc[0]:
        tokens = tokens[~tokens["is_special"]]
    return [window.set_index("position") for _, window in tokens.groupby("window")]


def ends_of(pairs: pd.DataFrame, tokens: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The two tokens of every pair; pairs has window, first and second."""
    indexed = tokens.set_index(["window", "position"])
    return tuple(
        indexed.loc[list(zip(pairs["window"], pairs[end], strict=True))].reset_index() for end in ("first", "second")
    )


def properties(pairs: pd.DataFrame, tokens: pd.DataFrame) -> pd.DataFrame:
    one, other = ends_of(pairs, tokens)
    distance = (pairs["second"] - pairs["first"]).reset_index(drop=True)
    return pd.DataFrame(
        {
            "mean_distance": distance,
            "same_sentence_share": (one["sentence"] == other["sentence"]) & (one["sentence"] >= 0),
            "repetition_share": one["token_id"] == other["token_id"],
            "near_share": distance <= 2,
            "separator_share": one["is_separator"] | other["is_separator"],
        }
    ).astype(float)


def by_head(table: pd.DataFrame) -> list[pd.DataFrame]:
    return [rows for _, rows in table.groupby(["layer", "head"])]


def test_the_statistics_of_pairs_follow_from_the_exports(exported: dict[str, pd.DataFrame]) -> None:
    heads = exported["heads"]
    for row, pairs in zip(heads.itertuples(), by_head(exported["pairs"]), strict=True):
        assert row.pairs == len(pairs)
        for name, value in properties(pairs, exported["tokens"]).mean().items():
            assert getattr(row, name) == pytest.approx(value)


def test_the_chance_levels_follow_from_the_exports(exported: dict[str, pd.DataFrame]) -> None:
    total: Any = 0.0
    windows = everyone(exported)
    strong = [len(p) for _, p in by_head(exported["pairs"])[0].groupby("window")]
    for tokens, weight in zip(windows, strong, strict=True):
        every = pd.DataFrame(combinations(tokens.index, 2), columns=["first", "second"])
        every["window"] = tokens["window"].iloc[0]
        total = total + properties(every, exported["tokens"]).mean() * weight / sum(strong)
    for name, value in total.items():
        np.testing.assert_allclose(exported["heads"][f"chance_{name}"], value)


def test_the_anchors_follow_from_the_exports(exported: dict[str, pd.DataFrame]) -> None:
    anchors = exported["anchors"]
    occurrences = pd.concat(everyone(exported))["token_id"].value_counts()
    for row, pairs, ranked in zip(
        exported["heads"].itertuples(), by_head(exported["pairs"]), by_head(anchors), strict=True
    ):
        one, other = ends_of(pairs, exported["tokens"])
        touched = pd.concat([one["token_id"], other["token_id"][other["token_id"] != one["token_id"]]])
        coverage = touched.value_counts() / len(pairs)
        assert row.anchor_coverage == pytest.approx(coverage.max())
        if is_above_chance(row.anchor_coverage, row.chance_anchor_coverage, row.pairs):
            assert coverage[row.anchor_id] == coverage.max()
        else:
            assert (row.anchor_id, row.anchor) == (NONE, "")
        for entry in ranked.itertuples():
            assert entry.coverage == pytest.approx(coverage.get(entry.token_id, 0))
            assert entry.lift == pytest.approx(entry.coverage / entry.chance_token_coverage)
            assert entry.occurrences == occurrences[entry.token_id]


def test_the_separator_attention_follows_from_the_exports(exported: dict[str, pd.DataFrame]) -> None:
    kinds = exported["tokens"].set_index(["window", "position"])[["is_separator", "is_special"]]
    received = exported["attention"].join(kinds, on=["window", "position"])
    chosen = {
        "separator_attention": received["is_separator"],
        "sep_attention": received["is_separator"] & received["is_special"],
        "punctuation_attention": received["is_separator"] & ~received["is_special"],
    }
    size = received.groupby("window")["position"].nunique()
    weight = received["window"].map(size / size.sum())
    for name, kind in chosen.items():
        for column, source in ((name, "received"), (f"chance_{name}", "chance_received")):
            total = (received[source] * weight * kind).groupby([received["layer"], received["head"]]).sum()
            np.testing.assert_allclose(exported["heads"][column], total, rtol=1e-5)


def test_the_layers_follow_from_the_heads(exported: dict[str, pd.DataFrame], pooled: Analysis) -> None:
    heads, layers = exported["heads"], exported["layers"].set_index("layer")
    for column in [column for one in COUNTED for column in (one.name, f"chance_{one.name}")]:
        np.testing.assert_allclose(layers[column], heads.groupby("layer")[column].mean())
    distinct = [
        [len(set(anchors.tolist()) - {NONE}) / heads["head"].max() for anchors in one.anchors()]
        for one in map(touched, pooled.windows)
    ]
    np.testing.assert_allclose(layers["anchor_uniqueness"], np.mean(distinct, axis=0))


def test_what_tokens_receive_is_the_mean_of_the_attention_map_over_queries(pooled: Analysis) -> None:
    table = pooled.attention.set_index(["window", "layer", "head"]).sort_index()
    for index, output in enumerate(pooled.reading.outputs):
        assert output.attention is not None
        expected = output.attention[1, 2].mean(dim=0)
        np.testing.assert_allclose(table.loc[(index + 1, 2, 3), "received"], expected, rtol=1e-5)
    assert table["received"].groupby(level=[0, 1, 2]).sum().to_numpy() == pytest.approx(1)


def test_the_segments_of_one_window_are_of_its_sentences_at_their_places_in_the_text(bert: LoadedModel) -> None:
    document = read_document(LONG)
    reading = read(bert, document, window=2)
    own = reading.passages[0].sentences
    first, last = own[own >= 0].min(), own.max()
    assert 0 < first < last < len(document.sentences) - 1
    for _, table in reading.segments.groupby("method"):
        assert (table["first_sentence"].iloc[0], table["last_sentence"].iloc[-1]) == (first + 1, last + 1)
        for row in table.itertuples():
            span = document.sentences[row.first_sentence - 1][0], document.sentences[row.last_sentence - 1][1]
            assert (row.start, row.end) == span
    assert read(bert, document).segments["last_sentence"].max() == len(document.sentences)


@pytest.mark.parametrize("change", [{"measure": "cosine"}, {"share": 0.1}, {"with_special": False}])
def test_every_setting_changes_the_pairs_and_the_provenance(long_reading: Reading, change: dict) -> None:
    one, other = (analyze_reading(long_reading, replace(Settings(), **some)) for some in ({}, change))
    assert not one.pairs.equals(other.pairs)
    assert {**one.provenance, **change} == other.provenance != one.provenance


def test_one_window_reads_as_it_does_among_all(bert: LoadedModel, long_reading: Reading) -> None:
    alone = read(bert, read_document(LONG), window=2)
    assert [passage.index for passage in alone.passages] == [1]
    assert torch.equal(alone.outputs[0].z, long_reading.outputs[1].z)
    assert analyze_reading(alone).provenance["windows"] == "2"
    assert analyze_reading(long_reading).provenance["windows"] == f"1 to {len(long_reading.passages)}"


def test_a_text_without_two_tokens_that_may_pair_is_refused(bert: LoadedModel) -> None:
    assert (attn_core.analyze("a", bert).heads["pairs"] == 1).all()
    with pytest.raises(TextError, match="two tokens"):
        attn_core.analyze("a", bert, Settings(with_special=False))


def test_provenance_names_the_model_the_text_and_every_setting(bert: LoadedModel) -> None:
    analysis = attn_core.analyze(LONG, bert, Settings("cosine", 0.05, False), layout="separated", window=1)
    assert analysis.provenance == {
        "model": display_name(bert.spec.name),
        "revision": bert.revision,
        "text_sha256": sha256(LONG.encode()).hexdigest(),
        "sentences": len(read_document(LONG).sentences),
        "language": "en",
        "layout": "separated",
        "windows": "1",
        "short_windows": 0,
        "window_tokens": 96,
        "reference_texts": ", ".join(analysis.reading.references),
        "measure": "cosine",
        "share": 0.05,
        "with_special": False,
        "unit": "tokens",
        "program_version": attn_core.__version__,
    }
    assert bert.revision.startswith("sha256:") and len(bert.revision) == 71


@pytest.mark.parametrize(("measure", "value"), [("dot", 1.0), ("cosine", 0.0), ("centred", 1.0)])
def test_equal_vectors_and_vectors_of_zeros_leave_no_number_out(bert: LoadedModel, measure, value: float) -> None:
    reading = read(bert, SHORT)
    same = tuple(replace(output, z=torch.full_like(output.z, value)) for output in reading.outputs)
    analysis = analyze_reading(replace(reading, outputs=same), Settings(measure))
    for name in ("heads", "layers", "kinds", "anchors", "distances"):
        numbers = getattr(analysis, name).select_dtypes("number")
        if measure != "dot":  # strong pairs of similarity 0, or of centred cosine: no share of it is common
            numbers = numbers.drop(columns=["common_share", "chance_common_share"], errors="ignore")
        assert np.isfinite(numbers).all(axis=None), name


def test_a_last_window_without_pairs_is_passed_over(bert: LoadedModel, long_reading: Reading) -> None:
    tail = read(bert, read_document("a"))
    longer = replace(
        long_reading, passages=long_reading.passages + tail.passages, outputs=long_reading.outputs + tail.outputs
    )
    analysis, without = (analyze_reading(one, Settings(with_special=False)) for one in (longer, long_reading))
    pd.testing.assert_frame_equal(analysis.pairs, without.pairs)
    assert len(analysis.heads) == len(without.heads)


def test_the_analyses_of_several_shares_are_those_of_each(long_reading: Reading) -> None:
    settings, shares = Settings("centred", with_special=False), (0.003, 0.1, 0.01)
    for share, one in zip(shares, analyze_by_share(long_reading, settings, shares), strict=True):
        alone = analyze_reading(long_reading, replace(settings, share=share))
        assert one.settings == alone.settings
        pd.testing.assert_frame_equal(one.heads, alone.heads)
        pd.testing.assert_frame_equal(one.layers, alone.layers)
