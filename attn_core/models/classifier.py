"""The classifier that a model's own weights hold: the label that it gives to a window, under the model's change if it has one."""

from dataclasses import dataclass
from typing import Any

from attn_core.models.capture import evaluating
from attn_core.models.files import locate
from attn_core.models.loading import published
from attn_core.models.records import LoadedModel
from attn_core.models.running_change import changing
from attn_core.models.self_check import PROBE, TOLERANCE
from attn_core.tensors import AutoConfig, AutoModelForSequenceClassification, Tensor, torch
from attn_core.texts.passages import Passage

ARCHITECTURE = "ForSequenceClassification"


@dataclass(frozen=True, eq=False)
class Classifier:
    """whole: the network that reads the text, with the classifier around it. labels: their names, by number."""

    whole: Any
    labels: tuple[str, ...]

    def label(self, model: LoadedModel, passage: Passage) -> str:
        """What it says of a window. model: the one that it was made of, or the same under an intervention."""
        ids = torch.tensor(passage.token_ids)[None].to(model.device)
        with torch.inference_mode(), changing(model.change), evaluating(model.network):
            return self.labels[int(self.whole(input_ids=ids).logits[0].argmax())]


def classifier(model: LoadedModel) -> Classifier | None:
    """None where the weights hold none, where a decoder's stack is read, or where it says another thing around this network."""
    folder = locate(model.spec)
    config = AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    own = model.spec.twin is None and model.spec.stack == "encoder"
    if not own or not str((config.architectures or [""])[0]).endswith(ARCHITECTURE):
        return None
    whole, report = published(AutoModelForSequenceClassification, folder, config)
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
    probe = torch.tensor([model.tokenizer(PROBE)["input_ids"][: model.max_tokens]], device=model.device)
    with evaluating(model.network):
        return whole(input_ids=probe).logits
