"""A chart in which the heads A and B are marked. Which ones these are is a parameter of the finished specification, so that
another head is not another chart: Altair would need a tenth of a second to make it.
"""

from dataclasses import dataclass
from typing import Any

import altair as alt

from attn_core.head import Head

IS_A = "datum.layer == head_a.layer && datum.head == head_a.head"
IS_B = f"datum.layer == head_b.layer && datum.head == head_b.head && !({IS_A})"  # a head that is both is marked as A


@dataclass(frozen=True, eq=False)
class Marked:
    """A chart with marks for the rows that `IS_A` and `IS_B` hold for, and the heads that they are to be."""

    chart: alt.LayerChart
    a: Head
    b: Head

    @property
    def description(self) -> Any:
        return self.chart.description

    def to_dict(self) -> dict[str, Any]:
        """The whole specification, as of an Altair chart."""
        return self.marks(self.chart.to_dict())

    def marks(self, spec: dict[str, Any]) -> dict[str, Any]:
        """The chart's specification with the heads in it."""
        heads = {"head_a": self.a, "head_b": self.b}
        told = [{"name": name, "value": {"layer": head.row[0], "head": head.row[1]}} for name, head in heads.items()]
        return spec | {"params": [*spec.get("params", []), *told]}


Figure = alt.Chart | alt.LayerChart | Marked
