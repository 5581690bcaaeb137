"""What an ablation measures of every head, or of some.

Every head is removed by itself: its importance, and how many can go in an order that it tells. The order of a pruning curve is
chosen on one half of the corpus and shown on the other, see `units`. Some heads are removed together: what it does, beside as
many random heads of the same layers.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from attn_core.errors import InputError
from attn_core.head import Head
from attn_core.interventions import tables as made
from attn_core.interventions.effects import Removal
from attn_core.interventions.losses import CHANCE
from attn_core.interventions.measured import ByText, alike, by_text, places_of, texts_of
from attn_core.interventions.orders import DRAWS, LEAST, at_random, by_role, by_value, counts_up_to
from attn_core.interventions.questions import Questions
from attn_core.interventions.random_sets import sets_alike
from attn_core.measures.frames import head_frame
from attn_core.measures.statistics import STATISTICS
from attn_core.study.opened import Study

FEATURES = tuple(one.name for one in STATISTICS if one.feature)  # that stand beside importance


def of_all(work: Questions, study: Study | None) -> dict[str, pd.DataFrame]:
    """Tables of the importance of every head, and of pruning curves where they are asked for."""
    alone = [(Head(*place),) for place in np.ndindex(work.shape)]
    curve = work.settings.what == "curve"
    shards = work.measured("importance", alone, 0.25 if curve else 1)
    found, estimated = by_text(shards, "embedding"), by_text(shards, "estimated")
    effects = found.values.reshape(-1, *work.shape)
    known = None if study is None else study.heads[["layer", "head", "role", *FEATURES]]
    about = None if np.isnan(estimated.values).all() else estimated.values.reshape(effects.shape)
    importance = made.importance_table(effects, about, alike(shards), known)
    tables = {"importance": importance, "texts": texts_of(shards)}
    if curve:
        tables |= _curves(work, found, importance)
    return tables


def _curves(work: Questions, found: ByText, importance: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Pruning curves on the texts that are shown, of an order that the others chose, and of random ones."""
    chose = found.texts % 2 == 0
    if chose.all() or not chose.any():
        raise InputError(
            "A curve is shown on other texts than those that choose its order: give two texts at least that can be read, "
            "or one of some thousand characters."
        )
    effects = found.values[chose].mean(axis=0).reshape(work.shape)
    name, order = _order(work, effects, importance)
    counts = counts_up_to(effects.size)
    draws = at_random(work.shape, DRAWS, work.settings.seed)
    removals = list(dict.fromkeys(first for one in [order, *draws] for first in _firsts(one, counts)))
    measured = work.measured("curve", removals, 0.9 if work.labelled else 1, "shown")
    shown, at = by_text(measured, "embedding").values, {removal: n for n, removal in enumerate(removals)}
    own, *by_chance = (shown[:, [at[first] for first in _firsts(one, counts)]] for one in [order, *draws])
    curve = made.curve_table({name: own}, counts, np.stack(by_chance))
    tables = {
        "curve": curve.assign(chosen_on=int(chose.sum()), shown_on=len(shown)),
        "heads_that_can_go": made.heads_that_can_go_table(curve),
        "orders": pd.DataFrame(
            [(name, place, *head.row) for place, head in enumerate(order, 1)],
            columns=["order", "place", "layer", "head"],
        ),
    }
    if work.labelled is not None:
        tables["accuracy"] = accuracy(work, _firsts(order, counts), counts)
    return tables


def _order(work: Questions, effects: np.ndarray, importance: pd.DataFrame) -> tuple[str, list[Head]]:
    """The order that is asked for, and its name. effects: (layer, head), of the texts that choose."""
    if (role := work.settings.role) is None:
        return LEAST, by_value(effects)
    roles = importance["role"].tolist() if "role" in importance else []
    if role not in roles:
        known = f"roles here are {', '.join(sorted(set(roles)))}" if roles else "the texts are too short to tell roles"
        raise InputError(f"No head has the role {role!r}: {known}.")
    return f"{role} first", by_role(roles, role, effects)


def _firsts(order: Sequence[Head], counts: Sequence[int]) -> list[tuple[Head, ...]]:
    """The first heads of an order, as a removal each, sorted."""
    return [tuple(sorted(order[:count])) for count in counts]


def of_heads(work: Questions, heads: Sequence[Head]) -> dict[str, pd.DataFrame]:
    """Tables of some heads removed together, beside as many random heads of the same layers."""
    random = sets_alike(heads, work.shape, DRAWS, work.settings.seed)
    removals = [tuple(heads), *random]
    shards = work.measured("effect", removals, 0.5 if work.labelled else 1)
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
    return made.accuracy_table(embeddings, [0, *counts], work.labelled, work.settings.seed)


def _downstream(work: Questions, heads: Sequence[Head], changes: np.ndarray) -> pd.DataFrame:
    """changes: (text, 1 + random set, layer, head)."""
    low, high = (bound.reshape(work.shape) for bound in made.bounds(changes[:, 0].reshape(len(changes), -1)))
    removed = np.zeros(work.shape, dtype=bool)
    for head in heads:
        removed[head] = True
    chance = changes[:, 1:].mean(axis=(0, 1)) if changes.shape[1] > 1 else np.nan
    columns = {"change": changes[:, 0].mean(axis=0), "low": low, "high": high, "chance_change": chance}
    return head_frame({"removed": removed, **columns}, *work.shape)
