"""The tables that follow from what was counted, whatever it was counted of; each is made when it is first asked for."""

from abc import ABC, abstractmethod
from functools import cached_property

import pandas as pd

from attn_core.measures.anchors import anchor_table
from attn_core.measures.distances import distance_table
from attn_core.measures.roles import assign_roles
from attn_core.measures.token_coverage import TokenCoverage
from attn_core.measures.window_counts import TotalCounts

TABLES = ("heads", "layers", "distances", "distance_bins", "kinds", "anchors")


class CountedTables(ABC):
    """What has counts has these tables."""

    @property
    @abstractmethod
    def counted(self) -> TotalCounts:
        """Everything that is counted, all windows together."""

    @property
    def coverage(self) -> TokenCoverage:
        """The strong pairs that each token touches."""
        return self.counted.touching

    @cached_property
    def statistics(self) -> pd.DataFrame:
        """One row a head: every statistic and its chance level, the anchor and the role."""
        statistics = self.counted.heads
        return statistics.join(assign_roles(statistics))

    @cached_property
    def heads(self) -> pd.DataFrame:
        """The statistics of every head, and its cluster (Ward, number by silhouette)."""
        from attn_core.measures.clusters import cluster_heads  # scikit-learn takes seconds to import

        return self.statistics.assign(cluster=cluster_heads(self.statistics).labels)

    @cached_property
    def layers(self) -> pd.DataFrame:
        """One row a layer: means over its heads, with chance levels, and the shares of its heads."""
        return self.counted.layers(self.statistics)

    @cached_property
    def distances(self) -> pd.DataFrame:
        """Strong pairs by layer, head and distance, with the share of all pairs at that distance."""
        return distance_table(self.counted.distances)

    @cached_property
    def distance_bins(self) -> pd.DataFrame:
        """Share of each layer's strong pairs by doubling distance, with its chance level."""
        return self.counted.distance_bins

    @cached_property
    def kinds(self) -> pd.DataFrame:
        """Share of each head's strong pairs by kind, with its chance level."""
        return self.counted.kinds

    @cached_property
    def anchors(self) -> pd.DataFrame:
        """Every head's anchor and runners-up by coverage."""
        return anchor_table(self.coverage)
