"""The language-model head of a model: from last states to a score of every word of the vocabulary.

transformers puts the language-model head around the network that reads the text. Here the head is loaded once, and whatever
states are asked for are handed to it in that network's place: the last ones, those without some heads, those of an earlier
layer.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from attn_core.errors import ModelError, cause
from attn_core.models.files import locate
from attn_core.models.pretrained import config_of, network_of, quiet_transformers
from attn_core.models.records import LoadedModel
from attn_core.models.self_check import TOLERANCE, probe
from attn_core.tensors import (
    AutoModelForCausalLM,
    AutoModelForMaskedLM,
    BaseModelOutputWithPastAndCrossAttentions,
    Tensor,
    nn,
    torch,
)


@dataclass(frozen=True, eq=False)
class LanguageHead:
    """What a model puts at a place: `logits` of states. final_norm: what stands between a layer's states and the head."""

    whole: Any
    given: "_Given"
    final_norm: nn.Module | None

    def logits(self, states: Tensor) -> Tensor:
        """Scores (..., vocabulary) of last states (..., hidden); gradients can be taken where they can be of the states."""
        flat = states.reshape(1, -1, states.shape[-1])
        dummy = torch.zeros(flat.shape[:2], dtype=torch.long, device=flat.device)
        with torch.set_grad_enabled(states.requires_grad), self.given.reading(flat):
            return self.whole(input_ids=dummy).logits.reshape(*states.shape[:-1], -1)

    @torch.inference_mode()
    def logits_of_layer(self, states: Tensor) -> Tensor:
        """The same of the states between two layers, which the final norm has not met ("logit lens", nostalgebraist 2020)."""
        return self.logits(states if self.final_norm is None else self.final_norm(states))


class _Given(nn.Module):
    """Stands in the place of the network that reads the text, and says that it read what this thread gave it."""

    def __init__(self, config: Any) -> None:
        super().__init__()
        self.config = config
        self._states: ContextVar[Tensor] = ContextVar("states")

    @contextmanager
    def reading(self, states: Tensor) -> Iterator[None]:
        """Within the block, these are what it read."""
        token = self._states.set(states)
        try:
            yield
        finally:
            self._states.reset(token)

    def forward(self, *_inputs: Any, **_options: Any) -> BaseModelOutputWithPastAndCrossAttentions:
        return BaseModelOutputWithPastAndCrossAttentions(last_hidden_state=self._states.get())


def language_head(model: LoadedModel) -> LanguageHead:
    """The head of a model: masked where it reads both ways, causal where it does not.

    Raises ModelError where its weights hold none, or where the head does not give what the whole network gives.
    """
    network: Any = model.network
    if model.spec.stack != "encoder":
        raise ModelError(f"Losses are not computed of {model.spec}: ask for its states or its embedding.")
    with quiet_transformers():
        whole = _whole(model)
    base = getattr(whole, whole.base_model_prefix)
    if hasattr(base, "encoder") and hasattr(base, "decoder"):
        raise ModelError(
            f"The language-model head of {model.spec.name} belongs to its decoder, which is not read here."
        )
    ids = torch.tensor([probe(model)], device=model.device)
    with torch.inference_mode():
        expected = whole(input_ids=ids).logits
        output = network(input_ids=ids, output_hidden_states=True)
    given = _Given(whole.config)
    setattr(whole, whole.base_model_prefix, given)
    head = LanguageHead(whole, given, _final_norm(network))
    before = output.hidden_states[-1] if head.final_norm is None else None
    if _apart(head.logits(output.last_hidden_state), expected) > TOLERANCE or (
        before is not None and _apart(head.logits_of_layer(before), expected) > TOLERANCE
    ):
        raise ModelError(f"The language-model head of {model.spec.name} does not give what the whole model gives.")
    return head


@lru_cache(maxsize=1)
def head_if_any(model: LoadedModel) -> LanguageHead | None:
    """None where the weights hold none, or no place can be masked. Once a process: a model is one object from job to job."""
    if not model.causal and model.tokenizer.mask_token_id is None:
        return None
    try:
        return language_head(model)
    except ModelError:
        return None


def _whole(model: LoadedModel) -> Any:
    """The network with its head as transformers loads it."""
    kind = AutoModelForCausalLM if model.causal else AutoModelForMaskedLM
    folder = locate(model.spec)
    try:
        config = config_of(model.spec, folder)
        if model.spec.copy is not None and model.spec.copy[0] == "untrained":
            with torch.random.fork_rng():
                torch.manual_seed(model.spec.copy[1])
                whole = kind.from_config(config, dtype=torch.float32)
            setattr(whole, whole.base_model_prefix, model.network)
            whole.tie_weights()
            return whole.to(model.device).eval()
        whole, report = network_of(kind, folder, config)
    except Exception as error:  # the loaders raise anything from KeyError to RuntimeError
        raise ModelError(
            f"{model.spec.name} has no language-model head that can be loaded ({cause(error)})."
        ) from error
    if report["missing_keys"] or report["mismatched_keys"]:
        raise ModelError(
            f"The weights of {model.spec.name} hold no language-model head: losses and what a layer would say cannot be had."
        )
    if model.spec.copy is not None:  # shuffled weights: its head is the model's own
        setattr(whole, whole.base_model_prefix, model.network)
    return whole.to(model.device).eval()


def _final_norm(network: nn.Module) -> nn.Module | None:
    """The norm after the last layer, which decoders have; what stands between layers has not met it."""
    norms = [child for child in network.children() if "norm" in type(child).__name__.lower()]
    return norms[-1] if norms else None


def _apart(actual: Tensor, expected: Tensor) -> float:
    return float((actual - expected).abs().max() / expected.abs().max())
