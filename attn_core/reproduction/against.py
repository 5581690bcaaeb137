"""What a model is held against, and what stands in place of a verdict that is not there. Reading a table needs no more."""

from attn_core.comparison.causes import Kind

# By the prefix of its columns: which control it is, and the column that says what follows.
AGAINST: dict[str, tuple[Kind, str]] = {"twin": ("untrained", "learned"), "shuffle": ("shuffled", "language")}
NOT_COUNTED = "not counted"
