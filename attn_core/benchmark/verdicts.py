"""Do the verdicts hold? What corpora of networks that never learned are told, and what the intervals of one window cover of
its book, those of few texts of many.

`python -m attn_core benchmark --only verdicts`; only where it is asked for: it takes long. The bars of C2 to C6 are chosen by it.
A network's texts are cut into corpora that share none. A share of corpora is a mean over networks, so that its error is theirs.
"""

import lzma
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import beta

from attn_core.analysis.one_text import analyze_reading
from attn_core.analysis.reading import read, windows_of
from attn_core.analysis.unrelated import Unrelated
from attn_core.benchmark.coverage import TextCounts, covered_by_texts, kept_counts
from attn_core.errors import TextError
from attn_core.findings.bars import ANY_NETWORK, BARS, BY_EFFECT
from attn_core.findings.verdicts import effects_by_row
from attn_core.io.tables import markdown
from attn_core.measures.effects import WIDEN, effect_values, effects_over_texts
from attn_core.models.files import TWINS, ModelSpec, default_spec
from attn_core.models.loading import load
from attn_core.models.records import LoadedModel
from attn_core.numerics.poisson_bootstrap import weights
from attn_core.texts.documents import read_document

PAGE = 1_800  # characters of an excerpt: fewer tokens than a window takes
LONG = 40_000  # characters of a book that are looked at
REPORTED = 101  # the first seed of the networks that bars are reported on
WINDOWS = 10  # of each book
EXCERPTS = 200  # of as many books, where there are so many
SIZES = (4, 10, 40)  # texts of a corpus
AT_MOST = 0.05  # of the corpora of a row and size may be told as in the paper, or unlike it
DRAWS = 200  # of the bootstrap over texts
SURE = 95  # in 100, of its upper bound
NETWORK = ["null", "layers", "seed"]
TRIED = tuple(bars for bars in BARS if bars.effect not in ANY_NETWORK)


def books(file: Path, number: int) -> Iterator[str]:
    """The first characters of some books of a file, evenly spaced."""
    data = file.read_bytes()
    text = (lzma.decompress(data) if file.suffix == ".xz" else data).decode("utf-8")
    long = [book for book in text.split("\n\n") if len(book) > LONG]
    if not long:
        raise TextError(f"{file} has no book of more than {LONG:,} characters: part books by blank lines.")
    for at in np.unique(np.linspace(0, len(long) - 1, number).astype(int)).tolist():
        yield long[at][:LONG]


def pages(file: Path, number: int) -> list[str]:
    """A page of whole words from the middle of each of some books; one window takes it."""
    return [book[LONG // 2 :][:PAGE].partition(" ")[2].rpartition(" ")[0] for book in books(file, number)]


def windows_trial(model: LoadedModel, texts: Sequence[str], windows: int) -> pd.DataFrame:
    """Every effect of some windows of each book, one by one: book, window, effect, value, low, high, chance.

    As `noise_elsewhere` the noise of the window against windows of the other books: what a novel's noise is measured by.
    """
    documents = [read_document(text) for text in texts]
    others = [read(model, document, window=3) for document in documents[:5]]
    beside = [Unrelated(one.passages[0], one.outputs[0].z) for one in others]
    rows = []
    for book, document in enumerate(documents):
        for window in islice(range(3, len(windows_of(model, document))), windows):
            reading = read(model, document, window=window)
            effects = analyze_reading(reading).effects
            elsewhere = replace(reading)
            elsewhere.__dict__["unrelated"] = tuple(one for at, one in enumerate(beside) if at != book)[:4]
            noise = analyze_reading(elsewhere).measured[0].strength.rates
            level = float(np.median(noise, axis=-1).mean())
            rows.append(effects.assign(book=book, window=window, elsewhere=level))
    return pd.concat(rows, ignore_index=True)


def covered(trial: pd.DataFrame) -> pd.DataFrame:
    """By effect: the share of windows whose interval holds the mean of its book, and by what it would have to be widened.

    Of the noise in logarithms, as its interval is.
    """
    rows = []
    for effect, of_effect in trial.groupby("effect", sort=False):
        value, high = of_effect["value"], of_effect["high"]
        if effect == "noise":
            true, widened = of_effect.groupby("book")["elsewhere"].transform("mean"), 1.0
            apart, half = np.log(value / true).abs(), np.log(high / value)
        else:
            by_book, widened = of_effect.groupby("book")["value"], WIDEN[str(effect)]
            # A window is a part of its book's mean, which is closer to it than that of other windows would be.
            apart = (value - by_book.transform("mean")).abs() / np.sqrt(1 - 1 / by_book.transform("size"))
            half = (high - value) / widened
        rows.append(
            {
                "effect": effect,
                "covered": float((apart <= half * widened).mean()),
                "unwidened": float((apart <= half).mean()),
                "needed": float((apart / half).quantile(0.95)),
                "half": float(half.median()),
            }
        )
    return pd.DataFrame(rows)


def verdicts(names: Sequence[str], prose: Path, number: int, seeds: int, kept: Path) -> None:
    """Print what corpora of twins of some models are told, and what the intervals of one window and of few texts cover.

    names: of models, the installed one where there are none; the intervals are the first one's. prose: a file of books. Bars
    are found on the pages of every second book and reported on the others, with networks of other seeds; so are the factors of
    one window's intervals. kept: a folder for what is counted of each network.
    """
    specs = [ModelSpec(name) for name in names] or [default_spec()]
    both = pages(prose, 2 * max(SIZES))
    for part, first in (("bars found on", 1), ("reported on", REPORTED)):
        drawn = range(first, first + seeds)
        tried = trial(specs, drawn, both[0::2] if first == 1 else both[1::2], kept)
        print(f"\n{part} {seeds} seeds of each twin of {', '.join(map(str, specs))}:\n")
        _print(told(tried))
        if first == 1:
            _print(needed(tried))
    windows = windows_trial(load(specs[0]), list(books(prose, number)), WINDOWS)
    for part, chose in (("factors found on", 0), ("reported on", 1)):
        print(f"\n{part} every second book:")
        _print(covered(windows[windows["book"] % 2 == chose]))
    _print(covered_by_texts(specs[0], [book[LONG // 2 :][:2000] for book in books(prose, EXCERPTS)]))


def _print(table: pd.DataFrame) -> None:
    rows = [
        [f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row]
        for row in table.itertuples(index=False)
    ]
    print("\n" + markdown(list(table.columns), rows), flush=True)


def trial(models: Sequence[ModelSpec], seeds: Sequence[int], texts: Sequence[str], folder: Path) -> pd.DataFrame:
    """Every corpus of every twin: null, layers, seed, size, then the columns of an effects table and its side of the bars.

    folder: where the counts of each network are kept, so that a trial goes on and its bars are moved without counting.
    """
    parts = []
    for seed in seeds:
        for model in models:
            for null in TWINS:
                counts = kept_counts(replace(model, twin=(null, seed)), texts, folder)
                parts += [one.assign(null=null, layers=counts.shape[0], seed=seed) for one in corpora(counts)]
    return pd.concat(parts, ignore_index=True)


def corpora(counts: TextCounts, sizes: Sequence[int] = SIZES) -> Iterator[pd.DataFrame]:
    """The effects of corpora of so many texts, with size and side; as many as there are without a text in common."""
    of_text = np.zeros(counts.texts)
    np.add.at(of_text, counts.text, counts.by_name["mean_distance"][-1])
    for size in sizes:
        for first in range(0, counts.texts - size + 1, size):
            times = np.zeros((1 + DRAWS, counts.texts))
            times[:, first : first + size] = weights(np.arange(size), DRAWS, first)
            values = effect_values(counts.tally(times), counts.shape)
            effects = effects_over_texts(*values, of_text[first : first + size])
            by_row = effects_by_row(effects)
            yield effects.assign(size=size, side=[by_row[name].side for name in effects["effect"]])


def told(trial: pd.DataFrame) -> pd.DataFrame:
    """By row and size: the share of corpora as in the paper, that of corpora unlike it, and the upper bound of each.

    The bound is one-sided, that of Clopper & Pearson (1934) over networks, of which as many count as told so as their shares of
    corpora add up to; where these add up to no whole number, by the same beta distribution.
    """
    rows = []
    for bars in TRIED:
        for size, of_size in trial[trial["effect"] == bars.effect].groupby("size"):
            row: dict[str, object] = {"effect": bars.effect, "texts": size, "networks": len(of_size.groupby(NETWORK))}
            for side in ("paper", "against"):
                shares = (of_size["side"] == side).groupby([of_size[name] for name in NETWORK]).mean().to_numpy()
                row |= {side: shares.mean(), f"{side}_bound": _at_most(shares.sum(), len(shares))}
            rows.append(row)
    return pd.DataFrame(rows)


def _at_most(told: float, of: int) -> float:
    return float(beta.ppf(SURE / 100, told + 1, of - told)) if told < of else 1.0


def needed(trial: pd.DataFrame) -> pd.DataFrame:
    """By row: beyond which bars no more than `AT_MOST` of the corpora lie, of any size, null and depth."""
    rows = []
    for name, of_row in trial.groupby("effect", sort=False):
        direction = BY_EFFECT[str(name)].direction
        inner, outer = ("low", "high") if direction > 0 else ("high", "low")
        cells = [cell for _, cell in of_row.groupby(["size", "null", "layers"])]
        paper = max((direction * cell[inner]).quantile(1 - AT_MOST) for cell in cells)
        against = min((direction * cell[outer]).quantile(AT_MOST) for cell in cells)
        rows.append({"effect": name, "paper": direction * paper, "against": direction * against})
    return pd.DataFrame(rows)
