"""Training: the same texts, read by one model at several steps of its training."""

from attn_core.ui.compare.series import show_series
from attn_core.ui.shell.frame import page_of_runs
from attn_core.ui.widgets import show

with page_of_runs(
    "Training", "When did a head become what it is? The same texts, read by one model at several steps of its training."
):
    show_series()

    show.how_to_read(
        """
- The steps lie on a log axis (side by side in the grid of the claims); each was read on the same texts.
- **Drift** says how far a head is from what it becomes at the last step: 0 is the same, 1 has nothing in common with it.
- **Chance** is dashed: for a statistic its level over all pairs, for drift the matrices with their tokens in random order.
""",
        "A head has a role where a property beats chance by 10% of its strong pairs.",
    )
