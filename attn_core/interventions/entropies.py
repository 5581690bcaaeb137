"""How sure of a word is a model at each layer, and of which word? The language-model head applied to each layer's states.

Entropy and cross-entropy are in bits, at masked places (causal: of every next token), see `losses.targets_of`. The states between
two layers meet the final norm where a model has one ("logit lens", nostalgebraist 2020). Chance is an even guess among all
words of the vocabulary.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from attn_core.interventions.losses import Targets, refuse_not_finite, targets_of
from attn_core.models.capture import layer_states
from attn_core.models.language_head import LanguageHead
from attn_core.models.records import LoadedModel
from attn_core.tensors import Tensor, torch
from attn_core.texts.passages import Passage, readable_tokens

CHANCE = "chance_entropy"
PLACES = 64  # at once: a row of logits has as many numbers as the vocabulary has tokens


def entropies(model: LoadedModel, head: LanguageHead, passage: Passage, seed: int = 0) -> pd.DataFrame:
    """One row a layer: layer (0: the embeddings), places, entropy, cross_entropy, both the mean in bits over one window, and
    chance_entropy.

    Raises as `losses.targets_of`, and ModelError where they are not finite.
    """
    here = targets_of(model, passage, seed)
    rows = []
    for layer, logits in enumerate(_logits(model, head, here)):
        sums = torch.zeros(2, dtype=torch.float64)
        for part, true in zip(logits, torch.from_numpy(here.true).split(PLACES), strict=True):
            log = torch.log_softmax(part.double(), dim=-1)
            sums[0] -= (log.exp() * log.clamp_min(torch.finfo(log.dtype).min)).sum().cpu()
            sums[1] -= log.gather(1, true[:, None].to(log.device)).sum().cpu()
        entropy, cross = (sums / len(here.places) / np.log(2)).tolist()
        rows.append((layer, len(here.places), entropy, cross, np.log2(part.shape[-1])))
    refuse_not_finite(model, np.array(rows))
    return pd.DataFrame(rows, columns=["layer", "places", "entropy", "cross_entropy", CHANCE])


def entropy_table(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """The tables of some windows of one model as one, each weighing by its places."""
    rows = pd.concat(tables, ignore_index=True)
    values = ["entropy", "cross_entropy"]
    sums = rows[values].mul(rows["places"], axis=0).assign(places=rows["places"]).groupby(rows["layer"]).sum()
    made = sums[values].div(sums["places"], axis=0).assign(places=sums["places"].astype(int)).reset_index()
    return made[["layer", "places", *values]].assign(**{CHANCE: tables[0][CHANCE]})


def words_at(model: LoadedModel, head: LanguageHead, passage: Passage, position: int, number: int = 5) -> pd.DataFrame:
    """What each layer would put at a place: layer, rank, token, token_id, probability; true: whether it stands there.

    A masked model reads the window with that place masked, a causal one up to it. Raises TextError for a place that no
    word can be asked for at.
    """
    here = targets_of(model, passage, position=position)
    rows = []
    for layer, (logits,) in enumerate(_logits(model, head, here)):
        chance, ids = torch.softmax(logits[0].double(), dim=-1).topk(number)
        known = ids[ids < len(model.tokenizer)]  # a vocabulary may be padded with rows that are no token
        names = readable_tokens(model.tokenizer, known.cpu().numpy())
        for rank, (token, probability) in enumerate(zip(ids.tolist(), chance.tolist(), strict=True), 1):
            rows.append((layer, rank, names.get(token, ""), token, probability, token == here.true[0]))
    return pd.DataFrame(rows, columns=["layer", "rank", "token", "token_id", "probability", "true"])


@torch.inference_mode()
def _logits(model: LoadedModel, head: LanguageHead, here: Targets) -> Iterator[Iterator[Tensor]]:
    """Logits (place, vocabulary) of each layer's states at the places that are asked for, some places at a time.

    The last states have met the final norm already.
    """
    *between, last = (states[here.places] for states in layer_states(model, here.passage))
    for states in between:
        yield (head.logits_of_layer(some) for some in states.split(PLACES))
    yield (head.logits(some) for some in last.split(PLACES))
