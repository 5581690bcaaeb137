"""What goes to a worker that removes heads: a shard of texts, the removals, and what is measured of each."""

from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from attn_core.interventions.effects import Removal
from attn_core.models.removal import Replace
from attn_core.runs.job import ModelJob
from attn_core.texts.passages import Layout

# curve: effects on the embedding. importance: these, estimated, and which heads are alike. effect: on all that the model
# puts out, and on the other heads. labelled: the embeddings themselves, of each text's first window. entropy: by layer.
Measured = Literal["curve", "importance", "effect", "labelled", "entropy"]


@dataclass(frozen=True)
class AblationJob(ModelJob):
    """removals: each alone. seed: of the directions of the estimate, and of masked places. again: whether an earlier question
    has listed the texts.
    """

    measured: Measured
    removals: tuple[Removal, ...]
    replace: Replace
    layout: Layout
    language: str
    seed: int
    again: bool

    @property
    def question(self) -> str:
        """A digest: a resumed run must not read the answer to another one."""
        names = ";".join(",".join(map(str, removal)) for removal in self.removals)
        return sha256(f"{self.measured}|{names}".encode()).hexdigest()
