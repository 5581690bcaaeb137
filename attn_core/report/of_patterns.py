"""The report of a pattern run."""

from collections.abc import Iterator

from attn_core.charts.patterns import best_relations, relation_map
from attn_core.columns.dictionary import table_of
from attn_core.head import Head
from attn_core.patterns.opened import CHOSEN, PatternScores, accuracies, best_of_relations, too_few
from attn_core.patterns.scores import ENOUGH, TOO_FEW
from attn_core.report import cells, commands
from attn_core.report.document import Entry, Figure, Report, Section, Table
from attn_core.report.figures import figure
from attn_core.report.parts import made_of, method, of_its_own, short

ROWS = 24  # relations in a table and on a map
TERMS = ("head_output", "similarity", "chance")
DEFINED = {
    "score": "Score",
    "score_above_attention": "Difference",
    "pointing": "Points right",
    "fixed_offset": "Fixed offset",
    "nearest": "Nearest",
    "last_state": "Last state",
    "pointing_heads": "Head",
}  # columns of the relations, as the table below is headed
SEEN = (
    "A head **sees** a pattern if its pairs are more alike than pairs of the same text that are as far apart. The measure here "
    "is the centred cosine; beside it stands attention, in the better direction."
)
READING = (
    "Score and points right are those of the head that one half of the corpus chose, on the other half; beside them the same of "
    "attention, and three ways that need no head: a fixed offset, the nearest word, the last hidden state."
)
LIMITS = (
    "Heads are chosen on one half of the corpus (of its groups, where they are named) and scored on the other; the maps choose "
    "and score on the same texts, which flatters.",
    "What counts as a pair is what the annotation or the rule says; a rule knows the words alone.",
)


def of_patterns(scores: PatternScores, quote: bool) -> Report:
    """Scores of patterns. quote: whether pairs of the texts may be read here."""
    told = scores.provenance
    size = f"{told['texts']:,} texts, {told['bad_texts']:,} left out."
    said = (size, *_in_short(scores))
    in_short = Section("In short", told=said, figures=tuple(_figures(scores)), tables=tuple(_tables(scores)))
    return made_of(
        f"Which heads of {short(str(told['model']))} see which pattern: {scores.folder.name}",
        "A pattern run",
        of_its_own(SEEN),
        (in_short, *([_examples(scores)] if quote and scores.has("examples") else [])),
        method=method(TERMS, _defined()),
        read=(cells.of_provenance(told),),
        limits=LIMITS,
        again=commands.of_patterns(scores.manifest),
    )


def _in_short(scores: PatternScores) -> Iterator[str]:
    """How many relations are seen, and pointed at, beyond chance; how the table is read."""
    if not scores.has("relations"):
        return
    relations = scores.table("relations")
    similar = relations[(relations["map"] == CHOSEN) & (relations["pairs"] >= TOO_FEW)]
    if len(similar):
        seen = int((similar["score_low"] > 0.5).sum())
        pointed = int((similar["pointing_low"] > similar["fixed_offset"]).sum())
        yield (
            f"Of {len(similar)} {'relation' if len(similar) == 1 else 'relations'} with {TOO_FEW} pairs or more, {seen} "
            f"{'is' if seen == 1 else 'are'} seen by a head beyond chance (the whole interval of the score above 0.5, each by "
            f"itself: one in forty passes by luck), and in {pointed} the interval of how often a head points at the partner lies "
            "above the share of the best fixed offset."
        )
    yield from filter(None, [too_few(scores)])
    yield READING


def _defined() -> tuple[str, ...]:
    """What the columns mean, as the dictionary says."""
    columns = table_of("relations", "patterns").columns
    told = {one.name: f"{one.meaning}{f' Chance level: {one.chance}.' if one.chance else ''}" for one in columns}
    return tuple(f"**{words}**: {told[name]}" for name, words in DEFINED.items())


def _tables(scores: PatternScores) -> Iterator[Table]:
    if scores.has("relations"):
        relations = best_of_relations(scores, ROWS)
        yield Table.of("The relations of most pairs, with 95% intervals", relations.to_dict("records"))
    if scores.has("joined"):
        joined = accuracies(scores.table("joined"))
        yield Table.of("Which of two names does a pronoun mean?", joined.to_dict("records"))


def _figures(scores: PatternScores) -> Iterator[Figure]:
    if not scores.has("heads"):
        return
    heads = scores.table("heads")
    of_map = heads[(heads["map"] == CHOSEN) & (heads["pairs"] >= ENOUGH)]
    if of_map.empty:
        return
    reading = (
        "The best head of each layer, in percent; the colour is above chance. Chosen and scored on the same texts."
    )
    yield figure(
        relation_map(of_map, "score", "score", ROWS), "How well the best head of each layer sees each relation", reading
    )
    top = of_map.loc[of_map["score"].idxmax()]
    own = of_map[(of_map["layer"] == top["layer"]) & (of_map["head"] == top["head"])]
    title = f"The relations that {Head.of_row(top['layer'], top['head'])} sees best"
    yield figure(best_relations(own, "score"), title, "The mean percentile of each relation's pairs; dashed is chance.")


def _examples(scores: PatternScores) -> Section:
    rows = scores.table("examples").to_dict("records")
    return Section("Pairs to read", entries=tuple(Entry(str(row["relation"]), (str(row["examples"]),)) for row in rows))
