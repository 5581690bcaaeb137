"""Fetching a model from the Hugging Face hub: the only thing that reaches beyond this machine."""

from pathlib import Path

from huggingface_hub import HfApi, snapshot_download
from huggingface_hub.errors import HFValidationError

from attn_core.errors import ModelError, in_one_sentence
from attn_core.models.files import FILES, ModelSpec, check_no_adapter, no_such_name, weight_files

SECONDS = 10


def download(spec: ModelSpec, progress: type | None = None) -> Path:
    """Fetch a model's safetensors and tokenizer from the Hugging Face hub; `progress` is a class like tqdm.

    Raises ModelError, in one sentence, where that fails.
    """
    name = spec.name
    problem = (
        f"{name} cannot be downloaded: check its name and revision, your access at huggingface.co, and the network"
    )
    with in_one_sentence(ModelError, problem):
        try:
            HfApi().model_info(name, revision=spec.revision, timeout=SECONDS)  # snapshot_download alone waits for ever
        except HFValidationError:
            raise no_such_name(name) from None
        folder = snapshot_download(
            name, revision=spec.revision, allow_patterns=FILES, ignore_patterns="*/*", tqdm_class=progress
        )
    check_no_adapter(name, Path(folder))
    if not weight_files(Path(folder)):
        raise ModelError(f"{name} has no safetensors weights on the Hugging Face hub.")
    return Path(folder)
