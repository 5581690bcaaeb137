"""Around which token does a head gather? The anchor is the token that touches the most of its strong pairs.

`TokenCoverage.leaders` and `.anchors` decide (`token_coverage`); here are the tables. It has to touch more of them than a token
that stands as often does by chance: a head whose first token does not has no anchor. But the anchor is chosen, the best of
hundreds of tokens, and the best of hundreds touches more by luck than one that was named in advance. So its coverage has two
chance levels: `chance_anchor_coverage`, the share of all pairs that the most common token touches, and `chance_token_coverage`,
the share that this very token touches.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from attn_core.measures.examples import snippet
from attn_core.measures.few_pairs import MIN_PAIRS
from attn_core.measures.frames import head_frame, head_index
from attn_core.measures.tally import Count
from attn_core.measures.token_coverage import NONE, TokenCoverage
from attn_core.similarity.strong_pairs import StrongPairs
from attn_core.texts.passages import in_brackets
from attn_core.texts.token_names import readable

RUNNERS_UP = 10
WORDS = 3  # words that a subword is shown as a part of


def anchor_table(touching: TokenCoverage) -> pd.DataFrame:
    """Every head's anchor (rank 1) and runners-up, with coverage, chance, lift and in how many other heads they lead.

    `chance_coverage`: the chance of the most common token, of the next most common one, and so on, rank by rank;
    `chance_token_coverage`: of that token, over which `lift` is. `is_anchor`: the first token, where it covers more than
    the latter. `shared_in_layer` and `shared_in_model` count the other heads
    whose anchor the token is.
    """
    layers, heads, size = touching.coverage.shape
    order = touching.ranking()[..., : min(RUNNERS_UP, size)]
    anchors = _anchors(touching)
    depth = order.shape[-1]
    own = order == anchors[..., None]
    in_layer = (order[..., None] == anchors[:, None, None, :]).sum(axis=-1) - own
    in_model = np.bincount(anchors[anchors != NONE], minlength=size)[order] - own
    flat = order.ravel()
    return (
        head_index(layers, heads)
        .loc[np.repeat(np.arange(layers * heads), depth)]
        .reset_index(drop=True)
        .assign(
            rank=np.tile(np.arange(1, depth + 1), layers * heads),
            token=np.array(touching.tokens, dtype=object)[flat],
            token_id=touching.token_ids[flat],
            is_anchor=own.ravel(),
            occurrences=touching.occurrences[flat],
            coverage=np.take_along_axis(touching.coverage, order, axis=-1).ravel(),
            chance_coverage=np.tile(np.sort(touching.chance)[::-1][:depth], layers * heads),
            chance_token_coverage=touching.chance[flat],
            lift=np.take_along_axis(touching.lift, order, axis=-1).ravel(),
            shared_in_layer=in_layer.ravel(),
            shared_in_model=in_model.ravel(),
        )
    )


def anchor_columns(touching: TokenCoverage, context: TokenCoverage) -> dict[str, np.ndarray | float]:
    """The columns of the heads table on anchors, (layer, head) each.

    context: the same tokens by the pairs in their context. Where a head has no anchor, its name is empty and its id
    `NONE`; the shares are those of its first token.
    """
    leaders, has = touching.leaders(), _anchors(touching) != NONE
    names = np.array(touching.tokens, dtype=object)
    coverage, chance = touching.at(leaders), touching.chance[leaders]
    return {
        "anchor": np.where(has, names[leaders], ""),
        "anchor_id": np.where(has, touching.token_ids[leaders], NONE),
        "anchor_is_separator": has & touching.is_separator[leaders],
        "anchor_coverage": coverage,
        "chance_anchor_coverage": touching.chance_of_best,
        "chance_token_coverage": chance,
        "anchor_lift": coverage / chance,
        "anchor_context_share": context.at(leaders),
        "chance_anchor_context_share": context.chance[leaders],
    }


def shown_anchors(heads: pd.DataFrame) -> pd.Series:
    """Each head's anchor as people read it; "none" where it covers no more than the most common token does by chance.

    heads: a heads table.
    """
    above = heads["anchor_coverage"] > heads["chance_anchor_coverage"]
    named = heads["anchor"].fillna("").astype(object)
    return named.map(readable).where(above & (named != ""), "none")


def anchor_overview(table: pd.DataFrame, labels: dict[int, str], windows: Sequence[StrongPairs] = ()) -> pd.DataFrame:
    """One row a head of an anchor table: the anchor with its words, its numbers, and three runners-up as one text.

    windows: where its words are looked for, of which `whole` is the one that it is a part of most often.
    """
    others = table[table["rank"].between(2, 4)]
    named = zip(others["token"].map(readable), others["coverage"], strict=True)
    texts = others.assign(text=[f"{token} {coverage:.0%}" for token, coverage in named])
    joined = texts.groupby(["layer", "head"])["text"].agg("   ".join).astype("str").rename("runners_up")
    best = table[table["rank"] == 1].drop(columns="rank").rename(columns={"token": "anchor", "token_id": "anchor_id"})
    best.insert(2, "anchor_word", best["anchor_id"].map(labels).where(best["is_anchor"], "none above chance"))
    whole = whole_words(windows, best["anchor_id"])
    best["whole"] = best["anchor_id"].map(whole).astype(object).fillna(best["anchor"]).where(best["is_anchor"], "")
    best["anchor"] = best["anchor"].where(best["is_anchor"], "")
    best["anchor_id"] = best["anchor_id"].where(best["is_anchor"], NONE)
    return best.join(joined, on=["layer", "head"]).fillna({"runners_up": ""}).reset_index(drop=True)


def token_labels(windows: Sequence[StrongPairs]) -> dict[int, str]:
    """Token id -> the token; a part of words with the words it stands in most often: '##ing (walking, talking)'."""
    words: dict[int, Counter[str]] = {}
    names: dict[int, str] = {}
    for window in windows:
        passage = window.passage
        for position, (token_id, token) in enumerate(zip(passage.token_ids.tolist(), passage.tokens, strict=True)):
            names[token_id] = token
            words.setdefault(token_id, Counter())[passage.word(position).casefold()] += 1
    return {token_id: _label(name, words[token_id]) for token_id, name in names.items()}


def whole_words(windows: Sequence[StrongPairs], token_ids: Iterable[int]) -> dict[int, str]:
    """Token id -> the word that it is most often a part of, the rest of it in brackets: (cher)ries. Without those that are
    words of their own as often.
    """
    parts: dict[int, Counter[tuple[str, str, str]]] = {token_id: Counter() for token_id in token_ids}
    for passage in (window.passage for window in windows):
        for position in np.flatnonzero(np.isin(passage.token_ids, list(parts))).tolist():
            before, piece, after = map(str.casefold, passage.in_word(position))
            parts[int(passage.token_ids[position])][before, piece, after] += 1
    most = {token_id: found.most_common(1)[0][0] for token_id, found in parts.items() if found}
    return {token_id: in_brackets(*cut) for token_id, cut in most.items() if cut[0] or cut[2]}


def heads_around(touching: TokenCoverage, token_id: int) -> pd.DataFrame:
    """Every head's coverage of one token: layer, head, coverage, chance_token_coverage, excess, pairs, windows, is_anchor."""
    at = int(np.flatnonzero(touching.token_ids == token_id)[0])
    layers, heads, _ = touching.coverage.shape
    columns = {
        "coverage": touching.coverage[..., at],
        "chance_token_coverage": touching.chance[at],
        "excess": touching.coverage[..., at] - touching.chance[at],
        "pairs": touching.strong,
        "windows": touching.windows,
        "is_anchor": _anchors(touching) == at,
    }
    return head_frame(columns, layers, heads)


def occurrence_table(windows: Sequence[StrongPairs], token_id: int) -> pd.DataFrame:
    """Where a token stands: window, position, sentence (all from 1 but position), word, context."""
    rows = [
        (p.index + 1, int(i), int(p.sentences[i]) + 1, p.word(int(i)), snippet(p, int(i)))
        for p in (window.passage for window in windows)
        for i in np.flatnonzero(p.token_ids == token_id)
    ]
    return pd.DataFrame(rows, columns=["window", "position", "sentence", "word", "context"])


def stability(leaders: np.ndarray, anchor_ids: np.ndarray) -> list[Count]:
    """Whether each of n parts of a text, or of a corpus, keeps each head's anchor, part by part, (H,) each.

    Chance: how many of the other heads have it as their anchor in that part. leaders: (n, H), the id of each head's
    anchor in each part; anchor_ids: (H,), those of the whole.
    """
    others = max(len(anchor_ids) - 1, 1)
    kept = leaders == anchor_ids
    elsewhere = (leaders[:, :, None] == anchor_ids).sum(axis=1) - kept
    return [Count(others * here, there, others) for here, there in zip(kept, elsewhere, strict=True)]


def _anchors(touching: TokenCoverage) -> np.ndarray:
    """Index of every head's anchor, (layer, head): `NONE` where the first token is not above its chance, or pairs are few."""
    return (
        touching.anchors()
        if touching.strong >= MIN_PAIRS * touching.windows
        else np.full(touching.pairs.shape[:2], NONE)
    )


def _label(token: str, words: Counter[str]) -> str:
    bare = token.removeprefix("##").removeprefix("▁").casefold()
    others = [word for word, _ in words.most_common() if word and word != bare]
    if not others or bare in words and words[bare] >= words.total() / 2:
        return token
    shown = ", ".join(word[:24] for word in others[:WORDS])
    return f"{token} ({shown}, …)" if len(others) > WORDS else f"{token} ({shown})"
