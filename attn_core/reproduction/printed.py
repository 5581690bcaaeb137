"""A reproduction in a few lines: of each row of the claims the verdict that more than half of the combinations give."""

from attn_core.io.markdown import markdown
from attn_core.reproduction.conclusions import SUBJECTS, standings
from attn_core.reproduction.opened import Reproduction


def printed(reproduction: Reproduction) -> str:
    """A row a corpus, model or control, and row of a claim; the combinations of the paper's measure alone."""
    rows = [
        [str(corpus), one.model, SUBJECTS[one.control], one.bars.name, f"{one.verdict} ({one.how_many})", one.number]
        for corpus, verdicts in reproduction.verdicts.groupby("corpus", sort=False)
        for one in standings(verdicts)
    ]
    return markdown(["corpus", "model", "control", "row", "verdict", "usual choice [95 %]"], rows)
