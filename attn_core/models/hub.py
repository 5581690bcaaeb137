"""Fetching a model from the Hugging Face hub: the only thing that reaches beyond this machine."""

from pathlib import Path

from huggingface_hub import HfApi, snapshot_download
from huggingface_hub.errors import (
    GatedRepoError,
    HfHubHTTPError,
    HFValidationError,
    HTTPError,
    LocalEntryNotFoundError,
    OfflineModeIsEnabled,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)

from attn_core.errors import ModelError, cause
from attn_core.models.files import FILES, ModelSpec, no_such_name, weight_files
from attn_core.models.folders import check_no_adapter

SECONDS = 10


def download(spec: ModelSpec, progress: type | None = None) -> Path:
    """Fetch a model's safetensors and tokenizer from the Hugging Face hub; `progress` is a class like tqdm.

    Raises ModelError, in one sentence, where that fails.
    """
    name = spec.name
    try:
        HfApi().model_info(name, revision=spec.revision, timeout=SECONDS)  # snapshot_download alone waits for ever
        folder = snapshot_download(
            name, revision=spec.revision, allow_patterns=FILES, ignore_patterns="*/*", tqdm_class=progress
        )
    except HFValidationError:
        raise no_such_name(name) from None
    except GatedRepoError:
        raise ModelError(f"{name} is gated: ask for access on its page at huggingface.co and log in.") from None
    except RepositoryNotFoundError:
        raise ModelError(f"The Hugging Face hub has no model {name}, or does not show it without a login.") from None
    except RevisionNotFoundError:
        raise ModelError(f"{name} has no revision {spec.revision}.") from None
    except HfHubHTTPError as error:
        raise ModelError(
            f"{name} cannot be downloaded: the Hugging Face hub answers with an error ({cause(error)})."
        ) from None
    except (HTTPError, LocalEntryNotFoundError, OfflineModeIsEnabled):
        raise ModelError(f"{name} cannot be downloaded: the Hugging Face hub does not answer.") from None
    except Exception as error:  # a full disk, a broken file: each library below has exceptions of its own
        raise ModelError(f"{name} cannot be downloaded: {cause(error)}.") from error
    check_no_adapter(name, Path(folder))
    if not weight_files(Path(folder)):
        raise ModelError(f"{name} has no safetensors weights on the Hugging Face hub.")
    return Path(folder)
