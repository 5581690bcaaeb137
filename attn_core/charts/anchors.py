"""Maps of anchor tokens and sources: those of each head, the heads around one token, and anchors over texts."""

import re
from collections.abc import Mapping, Sequence

import altair as alt
import pandas as pd

from attn_core.charts.descriptions import printed
from attn_core.charts.head_map import head_map
from attn_core.charts.role_words import shown_anchors
from attn_core.charts.style import tip
from attn_core.charts.word_grid import BLANK_CELLS, above_zero, rising
from attn_core.head import Head
from attn_core.measures.few_pairs import too_few
from attn_core.measures.token_coverage import NONE
from attn_core.texts.token_names import quoted, readable

HEAD = ["layer", "head"]


def anchor_overview(table: pd.DataFrame, labels: Mapping[int, str]) -> pd.DataFrame:
    """The rows of rank 1 of an anchor table, with the label of each anchor and three runners-up as one string.

    labels: from `token_labels`.
    """
    best = table[table["rank"] == 1].drop(columns="rank").rename(columns={"token": "anchor", "token_id": "anchor_id"})
    best.insert(2, "anchor_word", best["anchor_id"].map(labels).where(best["is_anchor"], "none above chance"))
    best["anchor"] = best["anchor"].where(best["is_anchor"], "")
    best["anchor_id"] = best["anchor_id"].where(best["is_anchor"], NONE)
    runners_up = _runners_up(table, "token", "coverage").astype("str")
    return best.join(runners_up, on=HEAD).fillna({"runners_up": ""}).reset_index(drop=True)


def anchor_grid(overview: pd.DataFrame) -> alt.LayerChart:
    """Map of the anchor of each head, coloured by coverage above chance; grey and without token if not above.

    overview: the table of `anchor_overview`.
    """
    tooltip = [
        tip("coverage:Q", ".1%"), tip("chance_token_coverage:Q", ".1%", "chance of this token"),
        tip("lift:Q", ".1f", "lift (times that chance)"),
    ]  # fmt: skip
    excess = (overview["coverage"] - overview["chance_coverage"]).where(overview["is_anchor"], 0.0)
    return _beyond_chance(overview, "anchor", "coverage", excess, tooltip)


def named_sources(table: pd.DataFrame, labels: Mapping[int, str]) -> pd.DataFrame:
    """The table of sources with source_word, the label of each token, and excess, its share less chance.

    labels: from `token_labels`.
    """
    words = [labels.get(one, token) for one, token in zip(table["token_id"], table["token"], strict=True)]
    named = table.assign(excess=table["share"] - table["chance_share"])
    return named.assign(source_word=pd.Series(words, table.index, dtype=object))


def source_overview(named: pd.DataFrame, heads: pd.DataFrame) -> pd.DataFrame:
    """The first source of every head, one row each, with the next three as one string.

    named: of `named_sources`, or those of its rows that count. heads: layer and head of all heads; one without sources
    has an empty word, the id `NONE`, and NaN.
    """
    first = named.groupby(HEAD, sort=False).head(1).drop(columns="rank")
    best = heads[HEAD].drop_duplicates().merge(first, how="left", on=HEAD)
    none = {"source_word": "", "runners_up": "", "token_id": NONE, "occurrences": 0}
    best = best.join(_runners_up(named, "source_word", "share").astype(object), on=HEAD)
    return best.fillna(none).astype({"token_id": int, "occurrences": int})


def source_grid(sources: pd.DataFrame) -> alt.LayerChart:
    """Map of the source of each head, coloured by its share above chance; blank for a head without one.

    sources: the table, or that of `source_overview`.
    """
    overview = source_overview(named_sources(sources, {}), sources) if "rank" in sources else sources
    tooltip = [tip("share:Q", ".1%", "share of the similarity"), tip("chance_share:Q", ".1%", "of any pair")]
    return _beyond_chance(overview, "source", "share", overview["excess"], tooltip)


def _runners_up(table: pd.DataFrame, words: str, share: str) -> pd.Series:
    """The second to fourth token of each head with their shares, as one string, by layer and head."""
    next_ = table.groupby(HEAD, sort=False).nth([1, 2, 3])
    texts = [f"{readable(word)} {value:z.0%}" for word, value in zip(next_[words], next_[share], strict=True)]
    return next_.assign(runners_up=texts).groupby(HEAD)["runners_up"].agg("   ".join)


def _beyond_chance(
    overview: pd.DataFrame, what: str, of: str, excess: pd.Series, tooltip: Sequence[alt.Tooltip]
) -> alt.LayerChart:
    """Map of a token of each head, coloured by its excess over chance; grey and without token if there is none.

    overview: `<what>_word`, the column `of` with its chance level, occurrences, runners_up.
    """
    words, values = overview[f"{what}_word"], excess.fillna(0.0).clip(lower=0).rename("value")
    named = words.map(readable).where(values > 0, "none above chance")
    data = overview.assign(value=values, named=named, word=_in_cells(words, values > 0))
    tooltip = [
        tip("named:N", title=what), *tooltip, tip("occurrences:Q"), tip("runners_up:N", title="next in rank"),
    ]  # fmt: skip
    if not values.any():
        return head_map(data, BLANK_CELLS, tooltip, said="none is above chance")
    top = data.loc[values.idxmax()]
    furthest = (
        f"furthest above chance is {quoted(words[top.name])} in {Head.of_row(top['layer'], top['head'])}, "
        f"{top[of]:.0%} (chance {top[f'chance_{of}']:.0%})"
    )
    return head_map(data, above_zero(values, f"{of} - chance", ".0%"), tooltip, said=furthest)


def token_map(around: pd.DataFrame) -> alt.LayerChart:
    """Map of the share of strong pairs with one token, above chance; a star marks heads whose anchor it is.

    around: the table of `heads_around`.
    """
    stars = around["is_anchor"].map({True: "*", False: ""})
    data = around.assign(excess=around["excess"].clip(lower=0), word=printed(around["coverage"], ".0%") + stars)
    tooltip = [
        tip("coverage:Q", ".1%"), tip("chance_token_coverage:Q", ".1%", "chance"),
        tip("is_anchor:N", title="is the head's anchor"),
    ]  # fmt: skip
    shade = BLANK_CELLS if too_few(around) else above_zero(data["excess"], "coverage - chance; *: anchor", ".0%")
    return head_map(data, shade, tooltip)


def stability_map(heads: pd.DataFrame) -> alt.LayerChart:
    """Map of the anchor of each head over all texts, coloured by the share of windows with that anchor."""
    above_chance, anchors = heads["anchor_coverage"] > heads["chance_anchor_coverage"], shown_anchors(heads)
    data = heads.assign(anchor=anchors, word=_in_cells(anchors, above_chance))
    tooltip = [
        tip("anchor:N"), tip("anchor_stability:Q", ".0%", "windows with this anchor"),
        tip("chance_anchor_stability:Q", ".0%", "with that of another head"),
        tip("anchor_coverage:Q", ".0%", "coverage"),
        tip("chance_anchor_coverage:Q", ".0%", "chance of the best token"),
    ]  # fmt: skip
    title = f"share of windows; the anchor of another head: {data['chance_anchor_stability'].mean():.0%}"
    return head_map(data, rising(data["anchor_stability"], 1, title, ".0%"), tooltip, clicked=False)


def _in_cells(tokens: pd.Series, above_chance: pd.Series) -> list[str]:
    """Tokens as text of cells: punctuation by name, parts of a word on separate lines, a dash for no token."""
    shown = [readable(token).replace(" ", "\n") or "–" for token in tokens.where(above_chance, "")]
    return [re.sub(r"^(\(\w+\))(?=.)|(?<=.)(?=\(\w+\)$)", r"\1\n", word, count=1) for word in shown]
