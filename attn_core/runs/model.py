"""The model of a run: what its manifest says of it, and the same one in every worker."""

from hashlib import sha256

from attn_core import __version__
from attn_core.errors import InputError
from attn_core.models.files import ModelSpec
from attn_core.models.loading import model_of
from attn_core.models.records import LoadedModel
from attn_core.numerics.threads import use_threads
from attn_core.runs.job import ModelFacts, RunModel


def describe(spec: ModelSpec, threads: int | None) -> ModelFacts:
    """Load the model and tell what it is; the first thing a study asks of a worker."""
    if threads is not None:
        use_threads(threads)
    model = model_of(spec)
    return ModelFacts(
        str(spec), model.revision, model.layers, model.heads, model.max_tokens, model.causal, model.device.type,
        sha256(model.tokenizer.backend_tokenizer.to_str().encode()).hexdigest(), spec.place,
        spec.removed.get("ablation"),
    )  # fmt: skip


def agreed_model(model: RunModel) -> LoadedModel:
    """The model of a run in this process.

    Raises InputError where the program or the model of this worker is not the one that the work began with.
    """
    if model.version != __version__:
        raise InputError("A worker has another version of this program than the run: install the same everywhere.")
    facts = describe(model.spec, model.threads)
    if facts != model.facts:
        raise InputError(
            f"A worker has another {facts.name} ({facts.revision}, {facts.device}) than the run began with."
        )
    return model_of(model.spec)
