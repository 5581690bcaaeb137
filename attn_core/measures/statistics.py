"""The statistics of a head as a reader meets them: name, unit, and the question that each answers.

To show a new statistic of the heads table everywhere (map, tables, clusters), add a line to `STATISTICS`.
"""

from dataclasses import dataclass
from typing import Literal

Unit = Literal["tokens", "share", "times"]


@dataclass(frozen=True)
class Statistic:
    """A column of the heads table; its chance level is the column `chance_<name>`."""

    name: str
    label: str
    unit: Unit
    question: str

    @property
    def chance(self) -> str:
        return f"chance_{self.name}"

    @property
    def bounds(self) -> tuple[str, str]:
        """The columns of its 95 % interval, in the tables of a study."""
        return f"{self.name}_low", f"{self.name}_high"

    @property
    def format(self) -> str:
        """A d3 (and Streamlit) number format."""
        return {"tokens": ".0f", "share": ".1%", "times": ".1f"}[self.unit]

    @property
    def axis_format(self) -> str:
        """The same for an axis, where a few tokens must not read alike."""
        return "~r" if self.unit == "tokens" else self.format

    def text(self, value: float) -> str:
        """A value with its unit, for a sentence."""
        return {"tokens": f"{value:.0f} tokens", "share": f"{value:.0%}", "times": f"{value:.1f}"}[self.unit]


STATISTICS = (
    Statistic("mean_distance", "Mean distance", "tokens", "How far apart are the two tokens of its strong pairs?"),
    Statistic("same_sentence_share", "Same sentence", "share", "How many strong pairs lie inside one sentence?"),
    Statistic("repetition_share", "Repetition", "share", "How many strong pairs are one token twice?"),
    Statistic("near_share", "Neighbours", "share", "How many strong pairs are at most two tokens apart?"),
    Statistic("separator_share", "Separators", "share", "How many strong pairs touch [SEP] or the end of a sentence?"),
    Statistic("anchor_coverage", "Anchor coverage", "share", "How many strong pairs touch the head's anchor token?"),
    Statistic(
        "anchor_context_share", "Anchor context", "share", "How many strong pairs lie at or around one anchor token?"
    ),
    Statistic("concentration", "Concentration", "times", "How unevenly do the pairs use the tokens? 1 is even use."),
    Statistic(
        "separator_attention", "Attention to separators", "share", "How much attention weight goes to separator tokens?"
    ),
)
SEP_ATTENTION = Statistic("sep_attention", "Attention to [SEP]", "share", "How much attention weight goes to [SEP]?")
BY_NAME = {statistic.name: statistic for statistic in STATISTICS}
BY_LABEL = {statistic.label: statistic for statistic in STATISTICS}
