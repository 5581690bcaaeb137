"""What the effects need of a window (`effects.NEEDED`), from sums over the strong pairs of its heads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from attn_core.measures import pair_properties as properties
from attn_core.measures.comparison import count_of_shared
from attn_core.measures.standing_out import Shares, counts_of_shares, shares_of_layers
from attn_core.measures.statistics import ANCHOR_UNIQUENESS, HEAD_OVERLAP
from attn_core.measures.tally import Count, counted_alike
from attn_core.measures.token_coverage import TokenCoverage
from attn_core.measures.uniqueness import count_of_distinct
from attn_core.measures.window_counts import MADE_UP_OVERLAP

PROPERTIES = {
    "mean_distance": properties.distance,
    "same_sentence_share": properties.same_sentence,
    "repetition_share": properties.repetition,
    "separator_share": properties.separator,
}


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums over the strong pairs of each head, by name of `PROPERTIES`, (layer, head).

    touching: the tokens that they touch; moved: those where the tokens changed places, in every draw. shared: (layer,),
    ordered pairs of heads that share a strong pair.
    """

    of: Mapping[str, np.ndarray]
    shared: np.ndarray
    touching: TokenCoverage
    moved: Sequence[TokenCoverage] = ()


def effect_counts(
    own: Sums, random: Sums, chance: Mapping[str, float], best: float, pairs: int, of_window: Mapping[str, Count]
) -> dict[str, Count]:
    """`effects.NEEDED`. random: of structureless heads.

    chance: the mean of every property over all P pairs, so many. best: what the best token touches of random pairs.
    of_window: what of it is counted of no pair of the window's tokens.
    """
    strong = own.touching.strong

    def mean(name: str) -> Count:
        return Count(own.of[name], chance[name] * strong, strong)

    def standing_out(sums: Sums) -> Shares:
        of_pairs = ((sums.of[name] / strong, chance[name]) for name in ("repetition_share", "separator_share"))
        return shares_of_layers(sums.touching, best, *of_pairs)

    def in_common(sums: Sums) -> Count:
        return count_of_shared(sums.shared, sums.touching.pairs.shape[1], strong, pairs)

    alike = counts_of_shares(standing_out(own), standing_out(random))
    alike[ANCHOR_UNIQUENESS.name] = count_of_distinct(own.touching, own.moved)
    return {
        "mean_distance": mean("mean_distance"),
        "same_sentence_share": mean("same_sentence_share"),
        **of_window,
        HEAD_OVERLAP.name: in_common(own),
        MADE_UP_OVERLAP: in_common(random),
        **counted_alike(alike, strong),
    }
