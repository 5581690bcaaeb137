"""The scores of patterns over texts, opened for reading: what `patterns` has written into a folder."""

from attn_core.runs.results import Results


class PatternScores(Results):
    """Finished scores; the tables are those of `pooled.pooled_tables`."""

    kind = "patterns"


open_patterns = PatternScores.open
