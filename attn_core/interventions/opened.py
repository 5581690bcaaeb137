"""Effects of removing heads, opened for reading: what `ablate` has written into a folder."""

from attn_core.runs.results import Results


class Ablation(Results):
    """Finished effects; the tables are those of `tables`."""

    kind = "ablation"


open_ablation = Ablation.open
