"""The report of a reproduction: every claim in every model and its controls, under every choice."""

from collections.abc import Iterator, Mapping

import pandas as pd

from attn_core.charts.reproduction import verdict_grid
from attn_core.comparison.causes import too_few
from attn_core.findings.bars import BARS, BY_EFFECT, Bars, Effect
from attn_core.io.paths import last_part
from attn_core.models.controls import CONTROLS, NAMES
from attn_core.models.files import TWINS
from attn_core.report import cells, commands
from attn_core.report.document import Entry, Figure, Report, Section, Table
from attn_core.report.figures import figure, picture_of_claims
from attn_core.report.of_comparison import rule_of_causes
from attn_core.report.parts import TERMS, made_of, method, of_the_paper
from attn_core.reproduction.choices import CHOICES, DIMENSIONS, FACTORS, SHARES
from attn_core.reproduction.conclusions import (
    SUBJECTS,
    USUAL,
    Standing,
    claims_of,
    curve_table,
    grid_cells,
    names_of,
    standings,
    twins_of,
    two_sentences,
)
from attn_core.reproduction.curves import NAMED, drawn_curve
from attn_core.reproduction.opened import Reproduction
from attn_core.similarity.strong_pairs import MEASURES, Settings
from attn_core.study.in_words import LABELS, percent, percents
from attn_core.texts.languages import AUTO

CURVE_WIDTH = 1000  # pixels: so that a page of A4 holds two
COLUMNS = 4  # of a grid of verdicts: as many as a page is wide
READING = (
    "The paper fixes the scalar product, and names neither its threshold, nor its corpus, nor what it did with special tokens, "
    "so that no single choice reproduces it: every row of its claims is put to every choice that it leaves open. A cell has the "
    "verdict that more than half of them give, and how many do. What other measures say, our extension, stands beside it and is "
    "not counted. All words stand under Method."
)
GRID = (
    "A row is a row of a claim, a column a model or a control of it. In a cell: the verdict that more than half of the choices "
    "give, how many do, and the effect under our usual choice with its 95% interval over texts, or groups of them. Green is as "
    "in the paper, orange unlike it, blue as in any network, grey no clear sign, violet where no verdict has more than half."
)
CURVE = (
    "A point is one combination of choices, its bar the 95% interval, its colour the verdict; the ticks below say which "
    "choices it is. Diamonds are the same combination in each baseline (of several twins, their mean); those on the edge "
    "lie beyond it. Thin lines are the bars, dashed is chance."
)
WHOLE = (
    "Each curve as a whole: its median, and what share of its sum of squares lies between the levels of each choice. The "
    "measure's share is over all measures, our extension. –: this choice cannot move the row, or nothing can be compared."
)
MEANT = (
    "**Window**: a piece of a text as long as a model reads at once. Strong pairs are chosen within a window.",
    f"**Choices**: the share of pairs that are strong ({percents(SHARES)}), pairs of tokens with special ones such as [CLS] and "
    "[SEP], of tokens without them, or of words (which have none), and the layout: "
    f"{2 * len(CHOICES) // len(MEASURES)} **combinations** of the scalar product, {len(CHOICES) // len(MEASURES)} of the "
    "shuffled text, which is read in one layout. Choices that cannot move a row are not counted twice. Which are sensible, "
    "and that they weigh alike, is our choice.",
    f"**Our extension**: the same with {LABELS['cosine']} and {LABELS['centred']} in place of the scalar product. The paper has "
    "neither.",
    "**Layout**: *plain*, as the model was trained to read; *separated*, with a separator token after every sentence.",
    f"**Our usual choice**: {LABELS[Settings().measure]}, strongest {100 * Settings().share:g}%, special tokens "
    f"{USUAL['special']}, {USUAL['unit']}, {USUAL['layout']} layout.",
    "**Baselines**: the *untrained twin* is the same network with weights drawn anew, the *permuted twin* has the entries of "
    "each weight matrix of its layers in random order; what they show too was not learned. The *shuffled text* has the tokens of "
    "each window in random order, while each place keeps the sentence that it was in; what a model shows there too depends on "
    "places and on which words there are, not on their order.",
    "**Effect**: the number that a row of a claim comes down to. The table below has each with its *bars*: the verdict is as in "
    "the paper only where the whole interval passes the first, unlike it only where all falls short of the second. Else it is "
    "*no clear sign*: the effect is small, near the bar, or these are too few texts. Where chance or a network that never "
    "learned passes the bar too (one of several is enough), it is *as in any network*. Differences of shares and of changes are "
    "in percentage points.",
)
FOLDED = (
    "The combinations behind each figure, by effect, and those of our extension. They unfold here at a click and are not "
    "printed. The folder of the reproduction has them in tables/verdicts.csv, with the differences to each baseline, and p."
)
STUDIED = "bert-base-uncased"  # by the paper
NOT_READ = f"{STUDIED}, which the paper studied, was not read: what stands here is of other models."
LIMITS = (
    "The bars, the margins, and which choices are sensible, are ours: the paper names none of them.",
    "A verdict speaks of these texts and these models alone; intervals are over the texts of a corpus. "
    "Combinations are read off the same texts, so that they are no independent evidence: how many agree says how "
    "much a verdict depends on choices, not how sure it is.",
)


def of_reproduction(reproduction: Reproduction, _quote: bool) -> Report:
    """A reproduction, which holds no text that could be quoted."""
    names = names_of(reproduction.models)
    corpora = [_OfCorpus(reproduction, str(corpus), names) for corpus in reproduction.corpora["corpus"]]
    few = too_few(twins_of(reproduction.readings)) if set(TWINS) & set(reproduction.readings["control"]) else ""
    not_read = "" if STUDIED in map(last_part, reproduction.models) else NOT_READ
    return made_of(
        f"Which claims of the paper hold, and for which models: {reproduction.folder.name}",
        "A reproduction",
        of_the_paper(),
        (
            *(corpus.in_short for corpus in corpora),
            *(corpus.claims for corpus in corpora),
            *(corpus.tables for corpus in corpora),
            *(corpus.every_choice for corpus in corpora),
        ),
        method=_method(),
        read=_read(reproduction),
        limits=[*filter(None, [not_read, *LIMITS, few])],
        again=commands.of_reproduction(reproduction),
    )


class _OfCorpus:
    """What a reproduction says of one of its corpora. names: what models are called."""

    def __init__(self, reproduction: Reproduction, corpus: str, names: Mapping[str, str]) -> None:
        verdicts, curves = reproduction.verdicts, reproduction.curves
        self._verdicts = verdicts[verdicts["corpus"] == corpus]
        self._curves = curves[(curves["corpus"] == corpus) & (curves["control"] == "none")]
        self._found = standings(self._verdicts)
        self._names = names
        self._of = f": {corpus}" if len(reproduction.corpora) > 1 else ""  # in a heading

    @property
    def _models(self) -> dict[str, list[Standing]]:
        """The standings of each model without its controls."""
        by_model: dict[str, list[Standing]] = {}
        for one in self._found:
            if one.control == "none":
                by_model.setdefault(one.model, []).append(one)
        return by_model

    @property
    def in_short(self) -> Section:
        """What most choices say of each model, the picture of the first, and the grid of all."""
        told = [f"{self._names[model]}: {two_sentences(own)[0]}" for model, own in self._models.items()]
        model, own = next(iter(self._models.items()))
        claims = claims_of(own)
        usual = f"{self._names[model]} under our usual choice"
        figures = (picture_of_claims(claims, f"{usual}{self._of}"), *self._grids())
        return Section(f"In short{self._of}", told=(*told, READING), tables=(self._table(),), figures=figures)

    def _table(self) -> Table:
        cells_of = grid_cells(self._found, self._names)
        subjects = list(dict.fromkeys(cells_of["subject"]))
        rows = []
        for row, of_row in cells_of.groupby("row", sort=False):
            told = {one["subject"]: f"{one['verdict']}: {one['how_many']}" for one in of_row.to_dict("records")}
            bars = BY_EFFECT[str(row)]
            rows.append((bars.name, bars.abstract, *(told.get(subject, "–") for subject in subjects)))
        return Table(
            "The verdict that most choices give, and how many do",
            ("claim", "what the abstract says", *subjects),
            tuple(rows),
            words=None,
            folded=True,
        )

    def _grids(self) -> Iterator[Figure]:
        """The models side by side, a few a figure; a single model beside its controls."""
        models = list(self._models)
        shown = self._found if len(models) == 1 else [one for one in self._found if one.control == "none"]
        data = grid_cells(shown, self._names).assign(chosen=False)
        subjects = list(dict.fromkeys(data["subject"]))
        for at in range(0, len(subjects), COLUMNS):
            some = data[data["subject"].isin(subjects[at : at + COLUMNS])]
            yield figure(verdict_grid(some.reset_index(drop=True)), f"Claims and models{self._of}", GRID)

    @property
    def claims(self) -> Section:
        """Row by row the verdict of most choices in each model, above the curves of all choices."""
        entries = []
        for bars in BARS:
            told = [
                f"{self._names[one.model]}: {'; '.join(filter(None, (f'{one.verdict} ({one.how_many})', one.origin)))}."
                for own in self._models.values()
                for one in own
                if one.bars == bars
            ]
            entries.append(Entry(f"{bars.name}: {bars.abstract}", tuple(told), tuple(self._curves_of(bars))))
        return Section(f"Claim by claim{self._of}", told=(CURVE,), entries=tuple(entries))

    def _curves_of(self, bars: Bars) -> Iterator[Figure]:
        """The specification curve of a row in each model."""
        for model in self._models:
            curve = curve_table(self._verdicts, bars.effect, model)
            if len(curve):
                title = f"{bars.name} in {self._names[model]} under every choice"
                yield figure(drawn_curve(curve, bars), title, f"Upwards: {bars.words}; {bars.rule}.", CURVE_WIDTH)

    @property
    def tables(self) -> Section:
        """The numbers of the usual choice with their differences to the baselines, and each curve as a whole."""
        return Section(
            f"Tables{self._of}",
            told=(WHOLE,),
            tables=tuple(table for model in self._models for table in (self._usual(model), self._whole(model))),
            folded=True,
        )

    def _usual(self, model: str) -> Table:
        rows = self._verdicts[(self._verdicts["model"] == model) & (self._verdicts["control"] == "none")]
        rows = rows[(rows[list(USUAL)] == pd.Series(USUAL)).all(axis=1)]
        own = {one.bars.effect: one.effect for one in self._models[model]}
        told = []
        for row in rows.to_dict("records"):
            bars = BY_EFFECT[str(row["effect_name"])]
            effect = own.get(bars.effect)
            numbers = (effect.number, bars.number(effect.chance)) if effect else ("–", "–")
            beside = [_difference(row, name, bars) for name in CONTROLS]
            told.append((f"{row['claim']} {bars.label}", *numbers, *beside))
        against = [f"minus {NAMES[name]} [95%]" for name in CONTROLS]
        head = ("effect", "model [95%]", "by chance", *against)
        return Table(f"Under our usual choice: {self._names[model]}", head, tuple(told))

    def _whole(self, model: str) -> Table:
        rows = []
        for row in self._curves[self._curves["model"] == model].to_dict("records"):
            bars = BY_EFFECT[str(row["effect_name"])]
            numbers = (bars.number(row["median"]), bars.number(row["chance"]))
            parts = ("–" if pd.isna(row[name]) else percent(row[name]) for name in FACTORS)
            rows.append((bars.name, str(row["combinations"]), *numbers, *parts))
        head = ("row", "combinations", "median", "by chance", *(name.replace("_", " ") for name in FACTORS))
        return Table(f"Each curve as a whole, and what choices explain: {self._names[model]}", head, tuple(rows))

    @property
    def every_choice(self) -> Section:
        """The table behind each specification curve."""
        tables = tuple(
            table for model in self._models for bars in BARS if (table := self._under_every_choice(model, bars))
        )
        return Section(f"Every choice in numbers{self._of}", told=(FOLDED,), tables=tables)

    def _under_every_choice(self, model: str, bars: Bars) -> Table | None:
        curve = curve_table(self._verdicts, bars.effect, model, extension=True)
        if curve.empty:
            return None
        moves = [name for name in DIMENSIONS if name in curve]
        rows = tuple(
            (
                *(_chosen(name, row[name]) for name in moves),
                Effect(bars, row["effect"], row["low"], row["high"], row["chance"], 0, "").number,
                *("–" if pd.isna(row[name]) else bars.number(row[name]) for name in ("chance", *CONTROLS)),
                str(row["verdict"]),
            )
            for row in curve.to_dict("records")
        )
        beside = ("by chance", *(NAMES[name] for name in CONTROLS))
        head = (*(NAMED[name] for name in moves), "effect [95%]", *beside, "verdict")
        title = f"{bars.claim} {bars.label}, {self._names[model]}: {len(rows)} combinations"
        return Table(title, head, rows, words=None, folded=True)


def _chosen(dimension: str, value: object) -> str:
    """A choice in words."""
    if dimension == "share":
        return percents([float(str(value))])
    words = {str(measure): label for measure, label in LABELS.items()}
    return words.get(str(value), str(value)) or "–"


def _method() -> Section:
    rows = tuple((f"{bars.claim} {bars.label}", bars.words, bars.rule, _margin(bars)) for bars in BARS)
    head = ("effect", "what it is", "verdict, where the whole interval is", "margin")
    points = (point for point in rule_of_causes() if not point.startswith("**Different"))
    table = Table("Effects, the bars of their verdicts, and their margins", head, rows, words=3)
    return method(TERMS, (*MEANT, *points), (table,))


def _margin(bars: Bars) -> str:
    """Of a difference: of shares and of changes in percentage points."""
    return bars.number(bars.margin) if bars.unit == "times" else f"{100 * bars.margin:g} points"


def _read(reproduction: Reproduction) -> tuple[Table, ...]:
    """Corpora and models with their fingerprints, and the settings."""
    corpora = [
        {
            "corpus": str(row["corpus"]),
            "a text is": str(row["documents"]),
            "language": "each text's own" if row["language"] == AUTO else str(row["language"]),
            "SHA-256": str(row["fingerprint"]),
        }
        for row in reproduction.corpora.to_dict("records")
    ]
    readings = [
        {
            "model": str(row["model"]),
            "read as": SUBJECTS[row["control"]] + ("" if pd.isna(row["seed"]) else f", seed {row['seed']}")
            or "the model itself",
            "layout": row["layout"],
            "corpus": str(row["corpus"]),
            "texts": f"{row['texts']:,} ({row['bad_texts']:,} left out)"
            if row["problem"] == ""
            else str(row["problem"]),
            "windows": f"{row['windows']:,}",
            "layers × heads": f"{row['layers']} × {row['heads']}",
            "commit or SHA-256 of weights, config and tokenizer": str(row["revision"]),
        }
        for row in reproduction.readings.to_dict("records")
    ]
    told = {name: value for name, value in reproduction.provenance.items() if name != "corpora"}
    return (
        Table.of("Corpora", corpora, words=None),
        Table.of("Models and their controls", readings, words=None),
        cells.of_provenance(told),
    )


def _difference(row: Mapping[str, object], against: str, bars: Bars) -> str:
    """A difference with its interval."""
    value, low, high = (float(str(row[f"{against}_difference{bound}"])) for bound in ("", "_low", "_high"))
    if pd.isna(value):
        return "–"
    scale, form = (1, "+z.2f") if bars.unit == "times" else (100, "+z.1f")
    return f"{scale * value:{form}}" + ("" if pd.isna(low) else f" [{scale * low:{form}}, {scale * high:{form}}]")
