"""Why tokens are alike: the parts of a pair's similarity, and what pairs and heads read in a sentence."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import pandas as pd

from attn_core.charts.style import AXES, CHANCE, COLOURS, by_name, layered, legend, tip
from attn_core.measures.sources import Explanation
from attn_core.texts.token_names import quoted

SAME, DIFFERENT = "both read the same token", "they read different tokens"
NAMED, LEAST = 5, 0.005  # tokens in a sentence, and the least part of a similarity that is named


def parts_of(why: Explanation) -> pd.DataFrame:
    """The two parts of a pair's similarity, and the mean similarity of all pairs: part, value, common."""
    values = [why.same_source, why.similarity - why.same_source]
    return pd.DataFrame({"part": [SAME, DIFFERENT], "value": values, "common": why.common})


def similarity_bar(parts: pd.DataFrame) -> alt.LayerChart:
    """Bar of a pair's similarity in its two parts, with a tick for the mean of all pairs. parts: of `parts_of`."""
    colours = {SAME: COLOURS[2], DIFFERENT: COLOURS[5]}
    base = alt.Chart(parts)
    x = alt.X("value:Q", title="similarity", stack="zero")
    bars = base.mark_bar(height=24).encode(
        x=x, color=by_name(alt.Color, "part", colours, legend(colours)),
        order=alt.Order("part:N"), tooltip=[tip("part:N"), tip("value:Q", ".3g")],
    )  # fmt: skip
    one = base.transform_filter(alt.datum["part"] == SAME)
    tick = one.mark_tick(thickness=4, height=40, color=CHANCE).encode(
        x=alt.X("common:Q"), tooltip=[tip("common:Q", ".3g", "any pair")]
    )
    word = one.mark_text(align="left", baseline="bottom", dx=4, dy=-17, color=CHANCE).encode(
        x=alt.X("common:Q"), text=alt.value("any pair")
    )
    return layered([bars, tick, word], AXES + 70)


def sentence_of(why: Explanation, first: str, second: str, names: list[str]) -> str:
    """Why two tokens are alike, with the tokens that contribute most; tokens of one name count together.

    first, second: what the two are called. names: of all tokens that they read.
    """
    of = why.tokens.assign(name=names).groupby("name", sort=False)["contribution"].agg(["sum", "size"])
    of = of[of["sum"] >= LEAST * max(why.similarity, 0)]
    most = [
        f"{quoted(str(name))}{f' ({times} times)' if times > 1 else ''} "
        f"{f'{total / why.similarity:.0%}' if why.similarity > 0 else f'{total:.3g}'}"
        for name, total, times in of.nlargest(NAMED, "sum").itertuples()
    ]
    there, back = why.attention
    return (
        f"{begun(first)} and {second} have a similarity of {why.similarity:.3g}, any pair {why.common:.3g}. "
        f"The largest parts of it come from {', '.join(most)}. {begun(first)} gives {second} {there:.1%} of its "
        f"attention, {second} gives {first} {back:.1%}."
    )


def described_source(of_head: Mapping[str, Any], alike: Sequence[str], copies: Mapping[str, float]) -> str:
    """What the strong pairs of a head read, with chance and the largest excess in any head of each copy.

    of_head: a row of the table of `source_overview`, with stands_out. alike: the tokens that touch most of its pairs.
    """
    words, source = list(map(quoted, alike)), quoted(of_head["source_word"])
    beside = [f"above chance {of_head['excess']:.0%}", *(f"{name} at most {most:.0%}" for name, most in copies.items())]
    named = f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "its strong pairs"
    said = f"{begun(named)} are alike, since they read {source}: "
    if not of_head["stands_out"]:
        said = f"No token that its strong pairs read stands out; most of all {source}, "
    shares = f"{of_head['share']:.0%} of their similarity, of any pair {of_head['chance_share']:.0%}"
    return f"{said}{shares}; {', '.join(beside)}"


def begun(words: str) -> str:
    """The words at the beginning of a sentence."""
    return words[:1].upper() + words[1:]
