"""The heads that a model's own weights hold: from last states to a score of every word of the vocabulary, or to a label.

transformers puts the language-model head around the network that reads the text. Here the head is loaded once, and whatever
states are asked for are handed to it in that network's place: the last ones, those without some heads, those of an earlier
layer. The classifier gives a window its label, under the model's change if it has one.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from attn_core.errors import ModelError, cause
from attn_core.models.attention import forward
from attn_core.models.capture import evaluating
from attn_core.models.files import locate
from attn_core.models.probe import probe
from attn_core.models.published import config_of, network_of, quiet_transformers
from attn_core.models.records import LoadedModel
from attn_core.models.self_check import TOLERANCE
from attn_core.tensors import (
    AutoModelForCausalLM,
    AutoModelForMaskedLM,
    AutoModelForSequenceClassification,
    BaseModelOutputWithPastAndCrossAttentions,
    Tensor,
    nn,
    torch,
)
from attn_core.texts.passages import Passage

ARCHITECTURE = "ForSequenceClassification"


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
    with torch.inference_mode(), evaluating(network):
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


def _whole(model: LoadedModel) -> Any:
    """The network with its head as transformers loads it."""
    kind = AutoModelForCausalLM if model.causal else AutoModelForMaskedLM
    folder = locate(model.spec)
    try:
        config = config_of(model.spec, folder)
        if model.spec.twin is not None and model.spec.twin[0] == "untrained":
            with torch.random.fork_rng():
                torch.manual_seed(model.spec.twin[1])
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
    if model.spec.twin is not None:  # permuted: its head is the model's own
        setattr(whole, whole.base_model_prefix, model.network)
    return whole.to(model.device).eval()


def _final_norm(network: nn.Module) -> nn.Module | None:
    """The norm after the last layer, which decoders have; what stands between layers has not met it."""
    norms = [child for child in network.children() if "norm" in type(child).__name__.lower()]
    return norms[-1] if norms else None


def _apart(actual: Tensor, expected: Tensor) -> float:
    return float((actual - expected).abs().max() / expected.abs().max())


@dataclass(frozen=True, eq=False)
class Classifier:
    """whole: the network that reads the text, with the classifier around it. labels: their names, by number."""

    whole: Any
    labels: tuple[str, ...]

    def label(self, model: LoadedModel, passage: Passage) -> str:
        """What it says of a window. model: the one that it was made of, or the same without some heads."""
        ids = torch.tensor(passage.token_ids)[None].to(model.device)
        with torch.inference_mode(), forward(model.change), evaluating(model.network):
            return self.labels[int(self.whole(input_ids=ids).logits[0].argmax())]


def classifier(model: LoadedModel) -> Classifier | None:
    """None where the weights hold none, where a decoder's stack is read, or where it says another thing around this network."""
    folder = locate(model.spec)
    config = config_of(model.spec, folder)
    own = model.spec.twin is None and model.spec.stack == "encoder"
    if not own or not str((config.architectures or [""])[0]).endswith(ARCHITECTURE):
        return None
    whole, report = network_of(AutoModelForSequenceClassification, folder, config)
    if report["missing_keys"] or report["mismatched_keys"]:
        return None
    whole = whole.to(model.device).eval()
    expected = _logits(whole, model)
    setattr(whole, whole.base_model_prefix, model.network)
    if float((_logits(whole, model) - expected).abs().max() / expected.abs().max()) > TOLERANCE:
        return None
    return Classifier(whole, tuple(config.id2label[number] for number in range(config.num_labels)))


@torch.inference_mode()
def _logits(whole: Any, model: LoadedModel) -> Tensor:
    with evaluating(model.network):
        return whole(input_ids=torch.tensor([probe(model)], device=model.device)).logits
