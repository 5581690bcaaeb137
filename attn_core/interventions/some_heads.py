"""Some heads removed together: what it does, beside as many random heads of the same layers."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from attn_core.errors import InputError
from attn_core.head import Head
from attn_core.interventions import tables as made
from attn_core.interventions.effects import Removal
from attn_core.interventions.entropies import CHANCE
from attn_core.interventions.measured import by_text, margins_of, moved_by, places_of, predicted_labels, texts_of
from attn_core.interventions.orders import DRAWS
from attn_core.interventions.questions import Questions
from attn_core.interventions.random_sets import sets_alike
from attn_core.interventions.tasks import named_rightly
from attn_core.measures.frames import head_frame


def of_heads(work: Questions, heads: Sequence[Head]) -> dict[str, pd.DataFrame]:
    """Tables of some heads removed together, beside as many random heads of the same layers."""
    random = sets_alike(heads, work.shape, DRAWS, work.settings.seed)
    removals = [tuple(heads), *random]
    share = 1 / (1 + bool(work.labelled) + work.tasks.number)  # of the whole, what each question takes
    shards = work.measured("effect", removals, share)
    found = {column: by_text(shards, column) for column in ("embedding", "tokens_effect", "losses", "changes")}
    risen = found["losses"].values[:, 1:] - found["losses"].values[:, :1]
    known = ~np.isnan(risen[:, 0])
    rows = [
        made.effect_row("sentence embedding", found["embedding"].values, len(random)),
        made.effect_row("last states, token by token", found["tokens_effect"].values, len(random)),
    ]
    if known.any():
        rows.append(made.effect_row("loss in bits", risen[known], len(random)))
    tables = {
        "effects": pd.DataFrame(rows),
        "yardstick": made.yardstick_table(moved_by(shards)),
        "downstream": _downstream(work, heads, found["changes"].values.reshape(-1, len(removals), *work.shape)),
        "effects_by_text": pd.DataFrame(
            {
                "text": found["embedding"].texts,
                "embedding": found["embedding"].values[:, 0],
                "tokens_effect": found["tokens_effect"].values[:, 0],
                "loss": found["losses"].values[:, 0],
                "loss_without": found["losses"].values[:, 1],
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
