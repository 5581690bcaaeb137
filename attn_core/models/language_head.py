"""The language-model head of a model, and the entropy of its predictions from the states of each layer.

A masked model predicts a random 15 % of the words of a window, each replaced by the mask token (Devlin et al. 2019,
without their random words); a causal model and a decoder predict every next token. States of a layer pass everything
that follows the last layer: a final norm, if the model has one, and the head ("logit lens", nostalgebraist 2020).
Chance is the entropy of the uniform distribution over the vocabulary.

transformers loads the head together with the network that reads the text. It runs as it is, but for its layers, which
return the given states: so the place and kind of a final norm need not be known.
"""

from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from attn_core.errors import ModelError, TextError, in_one_sentence
from attn_core.models.capture import inputs_of, layer_calls, layer_states
from attn_core.models.files import locate, not_finite
from attn_core.models.pretrained import config_of, names_of_part, network_of, quiet_transformers
from attn_core.models.records import LoadedModel
from attn_core.models.self_check import TOLERANCE, probe, relative_error
from attn_core.models.stacks import layers_of, part_like
from attn_core.tensors import (
    MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING,
    AutoModelForCausalLM,
    AutoModelForMaskedLM,
    AutoModelForSeq2SeqLM,
    Tensor,
    torch,
)
from attn_core.texts.passages import Passage

MASKED_SHARE = 0.15
ENTROPIES = ("entropy", "cross_entropy")
CHANCE = "chance_entropy"
PLACES = 64  # scored at once, since a row of logits has as many numbers as the vocabulary has tokens

_given: ContextVar[Tensor] = ContextVar("given")  # what the layers of a head return in this thread


@dataclass(frozen=True, eq=False)
class LanguageHead:
    """What follows the last layer of a model. whole: the model with its head, whose layers return the given states."""

    whole: Any

    @torch.inference_mode()
    def logits(self, states: Tensor) -> Tensor:
        """The logits (place, vocabulary) of states (..., place, hidden) that a layer returned."""
        token = _given.set(states)
        try:
            ids = torch.zeros(1, states.shape[-2], dtype=torch.long, device=states.device)
            return _logits(self.whole, ids)
        finally:
            _given.reset(token)


def language_head(model: LoadedModel) -> LanguageHead:
    """The language-model head of a model, which scores next tokens if `predicts_next`, and masked tokens otherwise.

    Raises ModelError if the weights have no head, if the tokenizer has no mask token, for the encoder of an
    encoder-decoder, and if the logits of the last layer's states differ from those of the whole model.
    """
    name = model.spec.name
    with quiet_transformers(), in_one_sentence(ModelError, f"The entropies of {name} by layer cannot be read"):
        config: Any = model.network.config
        of_pair = config.is_encoder_decoder or type(config) in MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING
        if model.spec.stack == "encoder" and of_pair:
            raise ModelError(f"The encoder of {name} predicts no words: read the entropies of its decoder.")
        if not predicts_next(model) and model.tokenizer.mask_token_id is None:
            raise ModelError(f"The tokenizer of {name} has no mask token, so no word can be predicted: give it one.")
        whole = _whole(model)
        ids = probe(model)
        layers = layers_of(part_like(whole, model.network), model.check.projections)
        with torch.inference_mode(), layer_calls(layers) as calls:
            expected = _logits(whole, **inputs_of(model, torch.tensor([ids], device=model.device)))
        for layer, _, output in calls:
            _give_back(layer, output)
        head = LanguageHead(whole)
        if not relative_error(head.logits(layer_states(model, ids)[-1]), expected) < TOLERANCE:
            why = "does not give what the whole model gives: take a model of another family for entropies"
            raise ModelError(f"The language-model head of {name} {why}.")
    return head


def predicts_next(model: LoadedModel) -> bool:
    """Whether a model predicts the next token: a causal model, and the decoder of an encoder-decoder."""
    return model.causal or model.spec.stack != "encoder"


def _logits(whole: Any, input_ids: Tensor, attention_mask: Tensor | None = None, **types: Tensor) -> Tensor:
    """The logits (token, vocabulary) of a model with its head for token ids (1, token), as `Decoding` reads them."""
    if whole.config.is_encoder_decoder:
        return whole(input_ids=input_ids[:, min(1, input_ids.shape[1] - 1) :], decoder_input_ids=input_ids).logits[0]
    mask = torch.ones_like(input_ids) if attention_mask is None else attention_mask
    return whole(input_ids=input_ids, attention_mask=mask, **types).logits[0]


def _give_back(layer: Any, output: Any) -> None:
    """Let a layer return the given states in place of its own output, and free its weights."""
    others = None if isinstance(output, Tensor) else output[1:]
    layer.forward = lambda *_, **__: _given.get() if others is None else (_given.get(), *others)
    layer.to("meta")


def _whole(model: LoadedModel) -> Any:
    """The network with its head, as transformers loads it; for a copy, the head around the copy's weights."""
    spec, folder = model.spec, locate(model.spec)
    config = config_of(spec, folder)
    kind: Any = AutoModelForCausalLM if model.causal else AutoModelForMaskedLM
    kind = kind if spec.stack == "encoder" else AutoModelForSeq2SeqLM
    config.use_cache = False
    with in_one_sentence(ModelError, f"{spec.name} has no language-model head that can be loaded"):
        whole, report = network_of(kind, spec, folder, config)
    part = part_like(whole, model.network)
    if {*report["missing_keys"]} - names_of_part(whole, part) or report["mismatched_keys"]:
        raise ModelError(f"The weights of {spec.name} hold no language-model head: take some saved with it.")
    if spec.copy:
        part.load_state_dict(model.network.state_dict(), strict=False)  # one of the two may have a pooler
    return whole.to(model.device).eval()


def targets_of(model: LoadedModel, passage: Passage) -> tuple[Passage, np.ndarray, np.ndarray]:
    """The window to read, the places (P,) whose states predict a word, and the ids (P,) of these words.

    They are the same in every call. Raises TextError for a window without a word to predict.
    """
    words = np.flatnonzero(~passage.is_special)
    if predicts_next(model):
        words = words[words > 0]
    if not len(words):
        raise TextError("This window has no word that the model could predict.")
    if predicts_next(model):
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
    for layer, states in enumerate(layer_states(model, shown.token_ids)):
        sums = torch.zeros(2, dtype=torch.float64)
        of_places = states[..., torch.from_numpy(places).to(states.device), :].split(PLACES, dim=-2)
        for part, true in zip(of_places, torch.from_numpy(true_ids).split(PLACES), strict=True):
            predicted = torch.distributions.Categorical(logits=head.logits(part).float(), validate_args=False)
            sums[0] += predicted.entropy().sum().cpu()
            sums[1] -= predicted.log_prob(true.to(part.device)).sum().cpu()
        entropy, cross = (sums / len(places) / np.log(2)).tolist()
        rows.append((layer, len(places), entropy, cross, np.log2(predicted.param_shape[-1])))
    if not np.isfinite(rows).all():
        raise not_finite(model.spec, "entropies")
    return pd.DataFrame(rows, columns=["layer", "places", *ENTROPIES, CHANCE])
