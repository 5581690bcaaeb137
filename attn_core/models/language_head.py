"""The language-model head of a model, and the entropy of its predictions from the states of each layer.

A masked model predicts a random 15 % of the words of a window, each replaced by the mask token (Devlin et al. 2019,
without their random words); a causal model predicts every next token. States between two layers pass the final norm of
a model that has one ("logit lens", nostalgebraist 2020). Chance is the entropy of the uniform distribution over the
vocabulary.

transformers loads the head together with the network that reads the text (`AutoModelForMaskedLM`,
`AutoModelForCausalLM`). Here a module that returns its input replaces that network: the head scores any states.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from attn_core.errors import ModelError, TextError, cause
from attn_core.models.capture import layer_states
from attn_core.models.files import locate
from attn_core.models.pretrained import config_of, network_of, quiet_transformers, untrained
from attn_core.models.records import LoadedModel
from attn_core.models.self_check import TOLERANCE, probe, relative_error
from attn_core.tensors import (
    AutoModelForCausalLM,
    AutoModelForMaskedLM,
    BaseModelOutputWithPastAndCrossAttentions,
    Tensor,
    nn,
    torch,
)
from attn_core.texts.passages import Passage

MASKED_SHARE = 0.15
ENTROPIES = ("entropy", "cross_entropy")
CHANCE = "chance_entropy"
PLACES = 64  # scored at once, since a row of logits has as many numbers as the vocabulary has tokens


@dataclass(frozen=True, eq=False)
class LanguageHead:
    """A language-model head. final_norm: the norm between the last layer and the head, of a model that has one."""

    whole: Any
    final_norm: nn.Module | None

    @torch.inference_mode()
    def logits(self, states: Tensor) -> Tensor:
        """The logits (..., vocabulary) of last hidden states (..., hidden)."""
        scores = self.whole(inputs_embeds=states.reshape(1, -1, states.shape[-1])).logits
        return scores.reshape(*states.shape[:-1], -1)


class _GivenStates(nn.Module):
    """Module that returns its input embeddings as last hidden states, in place of the network that reads the text."""

    def __init__(self, config: Any) -> None:
        super().__init__()
        self.config = config

    def forward(self, *_inputs: Any, inputs_embeds: Tensor, **_options: Any) -> Any:
        return BaseModelOutputWithPastAndCrossAttentions(last_hidden_state=inputs_embeds)


def language_head(model: LoadedModel) -> LanguageHead:
    """The language-model head of a model, which scores next tokens if the model is causal, and masked tokens otherwise.

    Raises ModelError if the weights have no head, if the tokenizer has no mask token, and if the logits of the model's
    last states differ from those that transformers returns for the whole model.
    """
    name, network = model.spec.name, model.network
    if model.spec.stack != "encoder":
        raise ModelError(f"Losses are not computed of {model.spec}: ask for its states or its embedding.")
    with quiet_transformers():
        whole = _whole(model)
    base = getattr(whole, whole.base_model_prefix)
    if hasattr(base, "encoder") and hasattr(base, "decoder"):
        raise ModelError(f"The language-model head of {name} belongs to its decoder, which is not read here.")
    if not model.causal and model.tokenizer.mask_token_id is None:
        raise ModelError(f"The tokenizer of {name} has no mask token, so that no word can be predicted.")
    ids = torch.tensor([probe(model)], device=model.device)
    with torch.inference_mode():
        expected = whole(input_ids=ids).logits
        output = network(input_ids=ids, output_hidden_states=True)
    setattr(whole, whole.base_model_prefix, _GivenStates(whole.config))
    head = LanguageHead(whole, _final_norm(network))
    last = [output.last_hidden_state, *(output.hidden_states[-1:] if head.final_norm is None else ())]
    if any(relative_error(head.logits(states), expected) > TOLERANCE for states in last):
        raise ModelError(f"The language-model head of {name} does not give what the whole model gives.")
    return head


def _whole(model: LoadedModel) -> Any:
    """The network with its head, as transformers loads it; for a copy, the head around the copy's network."""
    name, (copy, seed) = model.spec.name, model.spec.copy or (None, 0)
    kind = AutoModelForCausalLM if model.causal else AutoModelForMaskedLM
    folder = locate(model.spec)
    report: dict[str, Any] = {}
    try:
        config = config_of(model.spec, folder)
        if copy == "untrained":
            whole = untrained(kind, config, seed)
        else:
            whole, report = network_of(kind, folder, config)
    except Exception as error:  # the loaders raise anything from KeyError to RuntimeError
        raise ModelError(f"{name} has no language-model head that can be loaded ({cause(error)}).") from error
    if report.get("missing_keys") or report.get("mismatched_keys"):
        raise ModelError(f"The weights of {name} hold no language-model head, so that no word can be predicted.")
    if copy:
        setattr(whole, whole.base_model_prefix, model.network)
    if copy == "untrained":
        whole.tie_weights()
    return whole.to(model.device).eval()


def _final_norm(network: nn.Module) -> nn.Module | None:
    """The norm after the last layer, which states between two layers have not passed; None without one."""
    norms = [child for child in network.children() if "norm" in type(child).__name__.lower()]
    return norms[-1] if norms else None


def targets_of(model: LoadedModel, passage: Passage) -> tuple[Passage, np.ndarray, np.ndarray]:
    """The window to read, the places (P,) whose states predict a word, and the ids (P,) of these words.

    They are the same in every call. Raises TextError for a window without a word to predict.
    """
    words = np.flatnonzero(~passage.is_special)
    if model.causal:
        words = words[words > 0]
    if not len(words):
        raise TextError("This window has no word that the model could predict.")
    if model.causal:
        return passage, words - 1, passage.token_ids[words]
    number = max(1, round(MASKED_SHARE * len(words)))
    places = np.sort(np.random.default_rng([0, passage.index]).choice(words, number, replace=False))
    ids = passage.token_ids.copy()
    ids[places] = model.tokenizer.mask_token_id
    return replace(passage, token_ids=ids), places, passage.token_ids[places]


@torch.inference_mode()
def entropies(model: LoadedModel, head: LanguageHead, passage: Passage) -> pd.DataFrame:
    """A row per layer: layer (0: the embeddings), places, mean entropy and cross_entropy over places, chance_entropy.

    Raises TextError like `targets_of`, and ModelError for numbers that are not finite.
    """
    shown, places, true_ids = targets_of(model, passage)
    rows = []
    for layer, states in enumerate(states[places] for states in layer_states(model, shown)):
        if head.final_norm is not None and layer < model.layers:
            states = head.final_norm(states)
        sums = torch.zeros(2, dtype=torch.float64)
        for part, true in zip(states.split(PLACES), torch.from_numpy(true_ids).split(PLACES), strict=True):
            log = torch.log_softmax(head.logits(part).double(), dim=-1)
            sums[0] -= (log.exp() * log.clamp_min(torch.finfo(log.dtype).min)).sum().cpu()
            sums[1] -= log.gather(1, true[:, None].to(log.device)).sum().cpu()
        entropy, cross = (sums / len(places) / np.log(2)).tolist()
        rows.append((layer, len(places), entropy, cross, np.log2(log.shape[-1])))
    if not np.isfinite(rows).all():
        raise ModelError(f"The entropies of {model.spec.name} are not finite numbers: its weights may be damaged.")
    return pd.DataFrame(rows, columns=["layer", "places", *ENTROPIES, CHANCE])
