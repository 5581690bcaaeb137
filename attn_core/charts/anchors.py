"""Maps of anchor tokens and sources: those of each head, the heads around one token, and anchors over texts."""

import re
from collections.abc import Mapping

import altair as alt
import pandas as pd

from attn_core.charts.descriptions import between_heads, share
from attn_core.charts.head_map import head_map
from attn_core.charts.role_words import shown_anchors
from attn_core.charts.style import tip
from attn_core.charts.word_grid import BLANK_CELLS, above_zero, printed, rising
from attn_core.head import Head
from attn_core.measures.few_pairs import too_few
from attn_core.measures.token_coverage import NONE
from attn_core.texts.token_names import quoted, readable


def anchor_overview(table: pd.DataFrame, labels: Mapping[int, str]) -> pd.DataFrame:
    """The rows of rank 1 of an anchor table, with the label of each anchor and three runners-up as one string.

    labels: from `token_labels`.
    """
    others = table[table["rank"].between(2, 4)]
    named = zip(others["token"].map(readable), others["coverage"], strict=True)
    texts = others.assign(text=[f"{token} {coverage:.0%}" for token, coverage in named])
    joined = texts.groupby(["layer", "head"])["text"].agg("   ".join).astype("str").rename("runners_up")
    best = table[table["rank"] == 1].drop(columns="rank").rename(columns={"token": "anchor", "token_id": "anchor_id"})
    best.insert(2, "anchor_word", best["anchor_id"].map(labels).where(best["is_anchor"], "none above chance"))
    best["anchor"] = best["anchor"].where(best["is_anchor"], "")
    best["anchor_id"] = best["anchor_id"].where(best["is_anchor"], NONE)
    return best.join(joined, on=["layer", "head"]).fillna({"runners_up": ""}).reset_index(drop=True)


def anchor_grid(overview: pd.DataFrame) -> alt.LayerChart:
    """Map of the anchor of each head, coloured by coverage above chance; grey and without token if not above.

    overview: the table of `anchor_overview`.
    """
    values = (overview["coverage"] - overview["chance_coverage"]).where(overview["is_anchor"], 0.0).clip(lower=0)
    named = overview["anchor_word"].map(readable).where(values > 0, "none above chance")
    data = overview.assign(value=values, anchor_word=named, word=_in_cells(overview["anchor_word"], values > 0))
    shade = above_zero(values.rename("value"), "coverage - chance", ".0%")
    tooltip = [
        tip("anchor_word:N", title="anchor"), tip("coverage:Q", ".1%"),
        tip("chance_token_coverage:Q", ".1%", "chance of this token"), tip("lift:Q", ".1f", "lift (times that chance)"),
        tip("occurrences:Q"), tip("runners_up:N", title="next in rank"),
    ]  # fmt: skip
    top = data.loc[values.idxmax()]
    furthest = (
        f"furthest above chance is {quoted(top['anchor'])} in {Head.of_row(top['layer'], top['head'])}, "
        f"{share(top['coverage'])} (chance {share(top['chance_coverage'])})"
    )
    return head_map(
        data, shade if values.any() else BLANK_CELLS, tooltip,
        f"coverage of the anchor, from {between_heads(data, 'coverage', share)}; "
        f"{furthest if values.any() else 'none above chance'}",
    )  # fmt: skip


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
    head = ["layer", "head"]
    of_head = named.groupby(head, sort=False)
    next_ = of_head.nth([1, 2, 3])
    texts = [f"{readable(word)} {share:z.0%}" for word, share in zip(next_["source_word"], next_["share"], strict=True)]
    others = next_.assign(runners_up=texts).groupby(head)["runners_up"].agg("   ".join).astype(object)
    best = heads[head].drop_duplicates().merge(of_head.head(1).drop(columns="rank"), how="left", on=head)
    none = {"source_word": "", "runners_up": "", "token_id": NONE, "occurrences": 0}
    return best.join(others, on=head).fillna(none).astype({"token_id": int, "occurrences": int})


def source_grid(sources: pd.DataFrame) -> alt.LayerChart:
    """Map of the source of each head, coloured by its share above chance; blank for a head without one.

    sources: the table, or that of `source_overview`.
    """
    overview = source_overview(named_sources(sources, {}), sources) if "rank" in sources else sources
    values = overview["excess"].fillna(0.0).clip(lower=0)
    words = overview["source_word"].map(readable)
    data = overview.assign(value=values, source_word=words, word=_in_cells(overview["source_word"], values > 0))
    tooltip = [
        tip("source_word:N", title="source"), tip("share:Q", ".1%", "share of the similarity"),
        tip("chance_share:Q", ".1%", "of any pair"), tip("occurrences:Q"), tip("runners_up:N", title="next in rank"),
    ]  # fmt: skip
    top = data.loc[values.idxmax()]
    furthest = (
        f"furthest above chance is {quoted(top['source_word'])} in {Head.of_row(top['layer'], top['head'])}, "
        f"{share(top['share'])} (chance {share(top['chance_share'])})"
    )
    known = bool(values.any())
    return head_map(
        data, above_zero(values.rename("value"), "share - chance", ".0%") if known else BLANK_CELLS, tooltip,
        f"share of the source in the similarity of the strong pairs; {furthest if known else 'none is known'}",
    )  # fmt: skip


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
    return head_map(
        data,
        BLANK_CELLS if too_few(around) else above_zero(data["excess"], "coverage - chance; *: anchor", ".0%"),
        tooltip,
        f"share of strong pairs that touch the token, from {between_heads(around, 'coverage', share)}; chance "
        f"{share(around['chance_token_coverage'].iloc[0])}; the anchor of {int(around['is_anchor'].sum())} heads",
    )


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
    chance = f"the anchor of another head: {share(data['chance_anchor_stability'].mean())}"
    return head_map(
        data, rising(data["anchor_stability"], 1, f"share of windows; {chance}", ".0%"), tooltip,
        f"windows with the head's anchor over all texts, from {between_heads(data, 'anchor_stability', share)}; "
        f"chance, {chance}",
        clicked=False,
    )  # fmt: skip


def _in_cells(tokens: pd.Series, above_chance: pd.Series) -> list[str]:
    """Tokens as text of cells: punctuation by name, parts of a word on separate lines, a dash for no token."""
    shown = [readable(token).replace(" ", "\n") or "–" for token in tokens.where(above_chance, "")]
    return [re.sub(r"^(\(\w+\))(?=.)|(?<=.)(?=\(\w+\)$)", r"\1\n", word, count=1) for word in shown]
