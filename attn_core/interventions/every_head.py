"""What an ablation measures of every head, or of some.

Every head is removed by itself: its importance, and how many can go in orders that it tells. Orders of a pruning curve are
chosen on one half of the corpus and shown on the other, see `units`. Some heads are removed together: what it does, beside as
many random heads of the same layers.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from attn_core.errors import InputError
from attn_core.head import Head
from attn_core.interventions import tables as made
from attn_core.interventions.effects import Removal
from attn_core.interventions.losses import CHANCE
from attn_core.interventions.measured import (
    ByText,
    alike,
    by_text,
    margins_of,
    moved_by,
    places_of,
    predicted_labels,
    texts_of,
)
from attn_core.interventions.orders import DRAWS, Greedy, at_random, by_redundancy, by_role, by_value, counts_up_to
from attn_core.interventions.questions import Questions
from attn_core.interventions.random_sets import sets_alike
from attn_core.interventions.relations import relations
from attn_core.interventions.tasks import named_rightly
from attn_core.measures.frames import head_frame
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
        "orders": pd.DataFrame(
            [(name, place, *head.row) for name, order in orders.items() for place, head in enumerate(order, 1)],
            columns=["order", "place", "layer", "head"],
        ),
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


def of_heads(work: Questions, heads: Sequence[Head]) -> dict[str, pd.DataFrame]:
    """Tables of some heads removed together, beside as many random heads of the same layers."""
    random = sets_alike(heads, work.shape, DRAWS, work.settings.seed)
    removals = [tuple(heads), *random]
    share = 1 / (1 + bool(work.labelled) + work.tasks.number)  # of the whole, what each question takes
    shards = work.measured("effect", removals, share)
    found = by_text(shards, "embedding")
    embedding = found.values
    tokens, losses, changes = (by_text(shards, column).values for column in ("tokens_effect", "losses", "changes"))
    risen = losses[:, 1:] - losses[:, :1]
    known = ~np.isnan(risen[:, 0])
    rows = [
        made.effect_row("sentence embedding", embedding, len(random)),
        made.effect_row("last states, token by token", tokens, len(random)),
    ]
    if known.any():
        rows.append(made.effect_row("loss in bits", risen[known], len(random)))
    tables = {
        "effects": pd.DataFrame(rows),
        "yardstick": made.yardstick_table(moved_by(shards)),
        "downstream": _downstream(work, heads, changes.reshape(-1, len(removals), *work.shape)),
        "effects_by_text": pd.DataFrame(
            {
                "text": found.texts,
                "embedding": embedding[:, 0],
                "tokens_effect": tokens[:, 0],
                "loss": losses[:, 0],
                "loss_without": losses[:, 1],
            }
        ),
        "texts": texts_of(shards),
    }
    if work.tasks.number:
        tables["tasks"] = pd.DataFrame(_asked(work, [(), *removals], share))
    if work.labelled is not None:
        tables["accuracy"] = accuracy(work, [tuple(heads)], [len(heads)])
    return tables


def of_entropy(work: Questions, heads: Sequence[Head]) -> dict[str, pd.DataFrame]:
    """How sure of a word the model is, layer by layer, with all heads, and without some where they are named."""
    removals: list[Removal] = [(), tuple(heads)] if heads else [()]
    shards = work.measured("entropy", removals, 1)
    found = [by_text(shards, name, "places").values for name in ("entropy", "cross_entropy")]
    entropy, cross = (values.reshape(len(values), len(removals), -1) for values in found)
    known = ~np.isnan(entropy[:, 0, 0])
    if not known.any():
        raise InputError("No text has a place where a word could be asked for: give longer texts.")
    names = ["all heads", f"without {' '.join(map(str, heads))}"][: len(removals)]
    chance = float(np.nanmax(by_text(shards, CHANCE).values))
    table = made.entropies_table(entropy[known], cross[known], places_of(shards), chance, names)
    return {"entropies": table, "texts": texts_of(shards)}


def accuracy(work: Questions, removals: Sequence[Removal], counts: Sequence[int]) -> pd.DataFrame:
    """Of the whole model, and under each removal."""
    assert work.labelled is not None
    shards = work.measured("labelled", [(), *removals], 1)
    found = by_text(shards, "embeddings")
    if len(found.texts) < len(work.labelled.texts):
        raise InputError("A labelled text has no word that the model reads: take it out of the file.")
    embeddings = found.values.reshape(len(found.texts), 1 + len(removals), -1).transpose(1, 0, 2)
    return made.accuracy_table(embeddings, [0, *counts], work.labelled, work.settings.seed, predicted_labels(shards))


def _asked(work: Questions, removals: Sequence[Removal], share: float) -> Iterator[dict[str, object]]:
    """A row a task. removals: none, the chosen heads, random ones. share: of the whole, what a task takes."""
    if work.tasks.snippets:
        shards = work.measured("pronouns", removals, work.done + share)
        found = (margins_of(shards, at, work.shape) for at in range(len(removals)))
        right = np.stack([named_rightly(margins, texts) for texts, margins in found], axis=1)
        yield made.task_row("pronouns whose name is found (GAP)", right, 0.5)
    if work.tasks.gold:
        shards = work.measured("segments", removals, work.done + share)
        pk = by_text(shards, "pk", "sentences").values.reshape(-1, len(removals), 2)
        chance = by_text(shards, "chance_pk", "sentences").values.mean(axis=0)
        for at, number in enumerate(("given", "found")):
            yield made.task_row(f"Pk of gold texts, number of segments {number}", pk[:, :, at], float(chance[at]))


def _downstream(work: Questions, heads: Sequence[Head], changes: np.ndarray) -> pd.DataFrame:
    """changes: (text, 1 + random set, layer, head)."""
    low, high = (bound.reshape(work.shape) for bound in made.bounds(changes[:, 0].reshape(len(changes), -1)))
    removed = np.zeros(work.shape, dtype=bool)
    for head in heads:
        removed[head] = True
    chance = changes[:, 1:].mean(axis=(0, 1)) if changes.shape[1] > 1 else np.nan
    columns = {"change": changes[:, 0].mean(axis=0), "low": low, "high": high, "chance_change": chance}
    return head_frame({"removed": removed, **columns}, *work.shape)
