"""For every table of every page, by its key: the numbers that Python gives for the same choice."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

import numpy as np
import pandas as pd

import attn_core
from attn_core.analysis.keywords import keywords
from attn_core.analysis.one_text import Analysis
from attn_core.charts.anchors import anchor_overview
from attn_core.charts.groups import cluster_names
from attn_core.claims.claim import CLAIMS
from attn_core.claims.table import readable_claims
from attn_core.comparison.differences import layer_differences
from attn_core.comparison.match import match_heads
from attn_core.head import Head, every_head
from attn_core.interventions.ablation import Ablation
from attn_core.interventions.ablation_tables import curve_table
from attn_core.interventions.effects import effects_of, estimated_importance
from attn_core.interventions.orders import LEAST, at_random, by_value, counts_up_to
from attn_core.measures.anchors import occurrence_table, token_labels
from attn_core.measures.clusters import cluster_heads
from attn_core.measures.comparison import side_by_side, strongest_in_context
from attn_core.measures.statistics import BY_LABEL
from attn_core.models.baselines import copy_of
from attn_core.models.files import COPIES, ModelSpec
from attn_core.models.language_head import entropies, language_head
from attn_core.models.loading import ablate
from attn_core.models.records import LoadedModel
from attn_core.patterns.pair_scores import score_windows
from attn_core.patterns.rules import RULES, TextWords, pairs_of
from attn_core.patterns.scores import MAPS, of_words
from attn_core.segmentation import METHODS, SentenceOutputs, segment, segment_table
from attn_core.segmentation.evaluation import score_methods
from attn_core.similarity.words import find_words
from attn_core.study.opened import Study
from attn_core.texts.documents import read_document, samples
from attn_core.texts.reference_texts import joined_references

A, B = Head.named("L2H3"), Head.named("L1H2")
SHIPPED = Path(attn_core.__file__).parent / "study" / "sample"
OF_SAMPLES, FROM_NOISE = (Study.open(SHIPPED / name) for name in ("minilm-on-sample-texts", "from-noise"))


@dataclass(frozen=True)
class Asked:
    """A choice of model, text and window, as the address has them, and what the library makes of it."""

    spec: ModelSpec
    title: str
    window: str
    runs: Path

    @property
    def address(self) -> dict[str, str]:
        model = {} if self.spec == ModelSpec() else {"model": self.spec.name, "off": str(B)}
        pattern = {"pattern": next(iter(RULES))}
        return {**model, **pattern, "text": self.title, "window": self.window, "a": str(A), "b": str(B)}

    @cached_property
    def text(self) -> str:
        return next(sample.text for sample in samples() if sample.title == self.title)

    @cached_property
    def model(self) -> LoadedModel:
        return attn_core.load(self.spec)

    @cached_property
    def of(self) -> Analysis:
        return attn_core.analyze(self.text, self.model)

    @cached_property
    def first(self) -> Analysis:
        """Of the first window, which Interventions is about."""
        return attn_core.analyze(self.text, self.model, window=1)

    @cached_property
    def copies(self) -> dict[str, Analysis]:
        return {kind: attn_core.analyze(self.text, copy_of(self.spec, kind)) for kind in COPIES}

    @cached_property
    def beside(self) -> dict[str, Analysis]:
        """A and B of Compare: the model and its untrained copy."""
        name = self.spec.name.split("/")[-1]
        return {name: self.of, COPIES["untrained"]: self.copies["untrained"]}


Oracle = Callable[[Asked], pd.DataFrame]


def row(table: pd.DataFrame, head: Head) -> pd.DataFrame:
    return table[(table["layer"] == head.row[0]) & (table["head"] == head.row[1])]


def features(asked: Asked) -> pd.DataFrame:
    clusters = cluster_heads(asked.of.heads)
    return asked.of.heads.assign(cluster=cluster_names(clusters.labels)).join(clusters.z_scores.add_prefix("z_"))


def two_heads(asked: Asked) -> pd.DataFrame:
    """Each number in the unit of its row, as text."""
    made = side_by_side(asked.of.heads, A, B).astype(object)
    for at, label in enumerate(made["statistic"]):
        for name in ("first_value", "second_value", "difference", "first_chance", "second_chance"):
            made.loc[at, name] = BY_LABEL[label].text(made.loc[at, name])
    return made


def anchors(asked: Asked) -> pd.DataFrame:
    """Those first that stand furthest above chance."""
    heads = anchor_overview(asked.of.anchors, token_labels(asked.of.windows))
    return heads.sort_values("coverage", key=lambda share: heads["chance_coverage"] - share, kind="stable")


def tokens_of_head(asked: Asked) -> pd.DataFrame:
    mine = row(asked.of.anchors, A)
    return mine.assign(anchor_word=mine["token_id"].map(token_labels(asked.of.windows)))


def occurrences(asked: Asked) -> pd.DataFrame:
    """Of the anchor of most heads; of several, of that which stands most often."""
    heads, often = anchors(asked), dict(zip(asked.of.coverage.token_ids, asked.of.coverage.occurrences, strict=True))
    leading = heads["anchor_id"].value_counts()
    first = min(often, key=lambda token: (-leading.get(token, 0), -often[token], token))
    return occurrence_table(asked.of.windows, first)


def segments(asked: Asked) -> pd.DataFrame:
    document = read_document(asked.text)
    outputs = SentenceOutputs(asked.model, document)
    methods = ("partition", "partition_heads", "separator_attention")
    table = segment_table(document, {one: segment(one, outputs) for one in methods})
    return table.assign(method=[METHODS[name].title for name in table["method"]])


def segmentation_scores(asked: Asked) -> pd.DataFrame:
    """The best first, those that find the number of segments by themselves before those that are given it."""
    scores = pd.DataFrame(score_methods(SentenceOutputs(asked.model, read_document(asked.text))))
    titles = {name: one.title for name, one in METHODS.items()} | {"no_cut": "No cut at all"}
    return scores.assign(method=scores["method"].map(titles)).sort_values(["number_given", "pk"], kind="stable")


def pattern(asked: Asked, by_pair: bool) -> pd.DataFrame:
    """The first rule: its pairs in head A, or the scores of every head."""
    document, measure = read_document(asked.text), asked.of.settings.measure
    number = None if len(asked.of.reading.passages) > 1 else 1
    reading = attn_core.read(asked.model, document, window=number, keep_maps=True)
    parts, words = [], {}
    read, last = list(zip(reading.passages, reading.outputs, strict=True)), len(reading.passages) - 1
    for passage, output in (read[at] for at in np.linspace(0, last, min(4, last + 1)).round().astype(int)):
        of_text = TextWords.of(passage, found := find_words(passage))
        words[passage.index] = of_text.words
        parts.append((passage.index, of_words(output.z, output.attention, found), pairs_of(next(iter(RULES)), of_text)))
    seen = score_windows(parts)
    ends = [[words[at][word] for at, word in zip(seen.windows, end, strict=True)] for end in seen.pairs.T]
    percentile = seen.percentile[MAPS.index(measure)]
    if by_pair:
        values = {one: seen.values[MAPS.index(one)][A] for one in ("attends", "attended")}
        first, second = seen.pairs.T
        return pd.DataFrame(
            {"window": seen.windows + 1, "first_word": ends[0], "second_word": ends[1], "first": first,
            "second": second,
             "distance": second - first, "similarity": seen.values[MAPS.index(measure)][A], "percentile": percentile[A],
             "chance_percentile": 0.5, **values, "layer": A.row[0], "head": A.row[1]}
        )  # fmt: skip
    heads = seen.heads(measure)
    return heads.sort_values("score", ascending=False, kind="stable")


def importance(asked: Asked) -> pd.DataFrame:
    passage = asked.first.reading.passages[0]
    measured = effects_of(asked.model, passage, [[head] for head in every_head(*asked.first.shape)]).embedding
    estimated = estimated_importance(asked.model, passage).ravel()
    heads = asked.first.heads.assign(measured_importance=measured, estimated_importance=estimated)
    return heads.sort_values("measured_importance", ascending=False, kind="stable")


def curve(asked: Asked) -> pd.DataFrame:
    """The least important heads first, by another text, and 20 random orders."""
    passage = asked.first.reading.passages[0]
    others = attn_core.read(asked.model, joined_references(asked.text), window=1)
    least = by_value(estimated_importance(asked.model, others.passages[0]))
    counts = counts_up_to(len(least))
    orders = [least, *at_random(asked.first.shape)]
    effects = [effects_of(asked.model, passage, [order[:n] for n in counts]).embedding for order in orders]
    return curve_table(LEAST, effects[0][None], counts, np.array(effects[1:])[:, None])


def removed(asked: Asked) -> list[Head]:
    """Head A, and what the address removes beside it."""
    return sorted({A, *([B] if "off" in asked.address else [])})


def words_changed(asked: Asked) -> pd.DataFrame:
    passage = asked.of.reading.passages[0]
    tokens, words = effects_of(asked.model, passage, [removed(asked)]).tokens[0], find_words(passage)
    change = words.mean(tokens[:, None])[:, 0]
    table = pd.DataFrame({"start": words.starts, "end": words.ends, "change": change})
    spans = zip(table["start"], table["end"], strict=True)
    return table.assign(word=[passage.document.text[a:b] for a, b in spans]).sort_values("start")


def bits(asked: Asked) -> pd.DataFrame:
    head, tables = language_head(asked.model), []
    for name, model in (
        ("all heads", asked.model),
        (f"without {', '.join(map(str, removed(asked)))}", ablate(asked.model, removed(asked))),
    ):
        tables.append(entropies(model, head, asked.of.reading.passages[0]).assign(heads=name))
    return pd.concat(tables)


def of_subject(name: str, _: Asked) -> pd.DataFrame:
    """A table of the first subject of the study."""
    return OF_SAMPLES.of().table(name)


def of_training(name: str, _: Asked) -> pd.DataFrame:
    return FROM_NOISE.steps(FROM_NOISE.own[0].name, name)


def settings(_: Asked) -> pd.DataFrame:
    """The first claim in the first subject, under every setting."""
    rows = OF_SAMPLES.claims
    return rows[(rows["subject"] == OF_SAMPLES.own[0].name) & (rows["effect"] == "own_pairs")]


def head_by_text(asked: Asked) -> pd.DataFrame:
    mine = row(of_subject("text_heads", asked), A)
    return mine.assign(name=mine["text"].map(of_subject("texts", asked).set_index("text")["name"]))


def texts_of_study(asked: Asked) -> pd.DataFrame:
    """Each text, with the effects that lie beyond the whiskers of a box plot."""
    texts = of_subject("texts", asked)
    said: list[list[str]] = [[] for _ in texts.index]
    for claim in CLAIMS:
        values = texts[claim.effect].to_numpy(float).round(9)
        first, third = np.nanpercentile(values, [25, 75])
        for words, value in zip(said, values, strict=True):
            if value > 2.5 * third - 1.5 * first or value < 2.5 * first - 1.5 * third:
                words.append(f"{claim.topic} ({'high' if value > third else 'low'})")
    return texts.assign(outliers=list(map(", ".join, said)))


def step_by_step(asked: Asked) -> pd.DataFrame:
    return row(of_training("heads", asked), A).merge(row(of_training("drift", asked), A)[["step", "drift"]])


def reaches_apart(asked: Asked) -> pd.DataFrame:
    """The mean distance of the model and of its untrained copy."""
    table = layer_differences(*asked.beside.values()).query("statistic == 'mean_distance'").reset_index()
    return table.assign(layer=table.index + 1)


ORACLES: dict[str, dict[str, Oracle]] = {
    "pages/0_Home.py": {"heads": lambda asked: asked.of.heads},
    "pages/1_Heads.py": {
        "strongest-a": lambda asked: strongest_in_context(asked.of.windows[0], A),
        "strongest-b": lambda asked: strongest_in_context(asked.of.windows[0], B),
        "statistics-of-two-heads": two_heads,
    },
    "pages/2_Distances.py": {
        "layers": lambda asked: asked.of.layers, "distances": lambda asked: asked.of.distances,
        "reach": lambda asked: asked.of.reach,
    },
    "pages/3_Specialization.py": {"features": features, "kinds": lambda asked: asked.of.kinds},
    "pages/4_Anchor_tokens.py": {
        f"tokens-{A}": tokens_of_head, "anchors": anchors, "occurrences": occurrences,
        "keywords": lambda asked: keywords(asked.of.reading),
    },
    "pages/5_Segmentation.py": {"segments": segments, "segmentation-scores": segmentation_scores},
    "pages/6_Patterns.py": {
        "pattern-heads": partial(pattern, by_pair=False), "pattern-pairs": partial(pattern, by_pair=True),
    },
    "pages/7_Interventions.py": {
        "importance": importance, "pruning-curve": curve, "words-changed": words_changed, "entropies": bits,
        "ablation-effects": lambda asked: Ablation.open(asked.runs / "ablations" / "mine").table("effects"),
    },
    "pages/8_Compare.py": {
        "best-matches": lambda asked: match_heads(asked.of.reading, next(iter(asked.copies.values())).reading).table(),
        "differences": reaches_apart,
    },
    "pages/9_Corpus.py Claims": {"study-claims": lambda _: readable_claims(OF_SAMPLES.of().claims)},
    "pages/9_Corpus.py Every setting": {
        "settings": lambda asked: readable_claims(settings(asked)),
        "claims": lambda _: readable_claims(OF_SAMPLES.claims),
    },
    "pages/9_Corpus.py By layer and head": {
        "study-layers": partial(of_subject, "layers"), "study-heads": partial(of_subject, "heads"),
        "study-anchor-tokens": partial(of_subject, "anchors"),
    },
    "pages/9_Corpus.py Training": {
        "series-head": step_by_step, "series-layers": partial(of_training, "layers"),
        "series-drift": partial(of_training, "drift"),
    },
    "pages/9_Corpus.py One head": {
        "head-by-text": head_by_text, "examples-corpus": partial(of_subject, "examples"),
    },
    "pages/9_Corpus.py Texts": {
        "study-subjects": lambda _: OF_SAMPLES.table("subjects"),
        "study-texts": texts_of_study,
    },
}  # fmt: skip
