"""Every head removed by itself: its importance, and how many can go in orders that it tells.

Orders of a pruning curve are chosen on one half of the corpus and shown on the other, see `units`.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from attn_core.errors import InputError
from attn_core.head import Head
from attn_core.interventions import tables as made
from attn_core.interventions.measured import ByText, alike, by_text, moved_by, texts_of
from attn_core.interventions.orders import DRAWS, Greedy, at_random, by_redundancy, by_role, by_value, counts_up_to
from attn_core.interventions.questions import Questions
from attn_core.interventions.relations import relations
from attn_core.interventions.some_heads import accuracy
from attn_core.measures.statistics import STATISTICS
from attn_core.study.opened import Study

LEAST, REDUNDANT, GREEDY = "least important first", "most redundant first", "greedy"
BY_ROLE = {"repetition first": "repetition", "anchors first": "anchor", "mixed first": "mixed"}
TRIED = 8  # heads that the greedy order measures again after each removal
UNTIL = 2 * max(made.BARS)  # where it ends
FEATURES = tuple(one.name for one in STATISTICS if one.feature)  # that importance is held against


def of_all(work: Questions, study: Study | None) -> dict[str, pd.DataFrame]:
    """Tables of the importance of every head, and of pruning curves where they are asked for."""
    alone = [(Head(*place),) for place in np.ndindex(work.shape)]
    curve = work.settings.what == "curve"
    shards = work.measured("importance", alone, 0.25 if curve else 1)
    found, estimated = by_text(shards, "embedding"), by_text(shards, "estimated")
    effects = found.values.reshape(-1, *work.shape)
    known = None if study is None else study.heads[["layer", "head", "role", *FEATURES]]
    about = None if np.isnan(estimated.values).all() else estimated.values.reshape(effects.shape)
    redundant = alike(shards)
    importance = made.importance_table(effects, about, redundant and redundant[1:], known)
    tables = {"importance": importance, "yardstick": made.yardstick_table(moved_by(shards)), "texts": texts_of(shards)}
    columns = [name for name in ("estimated", "redundancy", *FEATURES) if name in importance]
    if columns:
        tables["relations"] = relations(effects.mean(axis=0), importance[columns], seed=work.settings.seed)
    if known is not None:
        tables["roles"] = made.roles_table(effects, importance["role"].tolist(), work.settings.seed)
    if curve:
        tables |= _curves(work, found, shards, importance)
    return tables


def _curves(
    work: Questions, found: ByText, shards: Sequence[Path], importance: pd.DataFrame
) -> dict[str, pd.DataFrame]:
    """Pruning curves on the texts that are shown, of orders that the others chose."""
    chose = found.texts % 2 == 0
    if chose.all() or not chose.any():
        raise InputError(
            "A curve is shown on other texts than those that choose its order: give two texts at least that can be read, "
            "or one of some thousand characters."
        )
    effects = found.values[chose].mean(axis=0).reshape(work.shape)
    orders = _orders(work, effects, shards, importance) | {GREEDY: _greedy(work, effects)}
    counts = counts_up_to(effects.size)
    draws = at_random(work.shape, DRAWS, work.settings.seed)
    removals = list(dict.fromkeys(first for order in [*orders.values(), *draws] for first in _firsts(order, counts)))
    measured = work.measured("curve", removals, 0.9 if work.labelled else 1, "shown")
    shown, at = by_text(measured, "embedding").values, {removal: n for n, removal in enumerate(removals)}
    by_order = {name: shown[:, [at[one] for one in _firsts(order, counts)]] for name, order in orders.items()}
    by_chance = np.stack([shown[:, [at[one] for one in _firsts(order, counts)]] for order in draws])
    curve = made.curve_table(by_order, counts, by_chance)
    tables = {
        "curve": curve.assign(chosen_on=int(chose.sum()), shown_on=len(shown)),
        "heads_that_can_go": made.heads_that_can_go_table(curve),
        "orders": pd.concat([_order_frame(name, order) for name, order in orders.items()], ignore_index=True),
    }
    if work.labelled is not None:
        tables["accuracy"] = accuracy(work, list(_firsts(orders[LEAST], counts)), counts)
    return tables


def _orders(
    work: Questions, effects: np.ndarray, shards: Sequence[Path], importance: pd.DataFrame
) -> dict[str, list[Head]]:
    """Every order that needs no further measuring. effects: (layer, head), of the texts that choose."""
    orders = {LEAST: by_value(effects)}
    alike_here = alike(shards, even=True)
    if alike_here is not None:
        orders[REDUNDANT] = by_redundancy(alike_here[0], work.shape)
    if "role" in importance:
        roles = importance["role"].tolist()
        orders |= {name: by_role(roles, role, effects) for name, role in BY_ROLE.items() if role in roles}
    return orders


def _greedy(work: Questions, effects: np.ndarray) -> list[Head]:
    greedy = Greedy(work.shape, until=UNTIL, alone=effects, tried=TRIED)
    while removals := greedy.next_removals():
        share = 0.25 + 0.4 * len(greedy.gone) / greedy.most
        shards = work.measured("curve", list(map(tuple, removals)), share, "choosing")
        greedy.measured(by_text(shards, "embedding").values.mean(axis=0))
    return greedy.gone


def _firsts(order: Sequence[Head], counts: Sequence[int]) -> list[tuple[Head, ...]]:
    """The first heads of an order, as a removal each, sorted; as many counts as the order has heads for."""
    return [tuple(sorted(order[:count])) for count in counts if count <= len(order)]


def _order_frame(name: str, order: Sequence[Head]) -> pd.DataFrame:
    rows = [(name, place, *head.row) for place, head in enumerate(order, 1)]
    return pd.DataFrame(rows, columns=["order", "place", "layer", "head"])
