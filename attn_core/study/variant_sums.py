"""What is kept of each text under every setting: sums over its windows, a row a variant of the settings.

`variants`, a row a text and variant: text, group (of texts that are left out together), variant (its place in `VARIANTS`), few
(whether no window has `MIN_PAIRS` strong pairs a head), windows that are counted (those with as many, or else all),
short_windows, the others, strong (strong pairs a head), and of every count its numerator under its name, `chance_<name>` and
`weight_<name>`, as in the windows table.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from attn_core.measures.tally import MIN_PAIRS
from attn_core.study.variant_counts import Counts
from attn_core.study.variants import VARIANTS, Variant


def rows_of_text(number: int, group: int, windows: Sequence[Mapping[Variant, Counts]]) -> Iterator[dict[str, Any]]:
    """The rows of one text, variant by variant; windows that leave a variant no pair add nothing to it."""
    for place, variant in enumerate(VARIANTS):
        every = [window[variant] for window in windows if variant in window]
        long = [counts for counts in every if counts["mean_distance"].weight >= MIN_PAIRS]
        if not (here := long or every):
            continue
        row: dict[str, Any] = {"text": number, "group": group, "variant": place, "few": not long}
        row |= {"windows": len(here), "short_windows": len(every) - len(here)}
        for name in here[0]:
            row[name] = np.sum([np.ravel(counts[name].numerator) for counts in here], axis=0)
            row[f"chance_{name}"] = np.sum([np.ravel(counts[name].chance) for counts in here], axis=0)
            row[f"weight_{name}"] = float(sum(counts[name].weight for counts in here))
        yield row | {"strong": row["weight_mean_distance"]}
