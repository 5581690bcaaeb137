"""How many heads have each role, beside the copies of the model."""

import altair as alt
import pandas as pd

from attn_core.charts.clusters import colours_of_groups
from attn_core.charts.curve import THIS_MODEL
from attn_core.charts.style import CHANCE, layered, tip

FILLS = [CHANCE, "transparent"]  # of the bars of the copies
ROW = 46  # pixels of a role


def heads_of_roles(counts: pd.DataFrame) -> alt.LayerChart:
    """A bar for the number of heads of each role in its colour, and grey bars for the copies of the model.

    counts: a row a role in their order, a column for `THIS_MODEL` and one for each copy.
    """
    subjects = list(counts)
    data = counts.rename_axis("role").reset_index().melt("role", var_name="subject", value_name="heads")
    names, colours = colours_of_groups(data, "role")
    base = alt.Chart(data).encode(
        x=alt.X("heads:Q", title="heads", axis=alt.Axis(format="d", tickMinStep=1)),
        y=alt.Y("role:N", sort=names, title=None),
        yOffset=alt.YOffset("subject:N", sort=subjects),
        tooltip=[tip("role:N"), tip("subject:N", title="of"), tip("heads:Q")],
    )
    own = base.transform_filter(alt.datum.subject == THIS_MODEL).mark_bar()
    own = own.encode(color=alt.Color("role:N", scale=alt.Scale(domain=names, range=colours), legend=None))
    legend = alt.Legend(title=None, orient="bottom", symbolType="square", symbolStrokeColor=CHANCE)
    filled = alt.Fill("subject:N", scale=alt.Scale(domain=subjects[1:], range=FILLS), legend=legend)
    copies = base.transform_filter(alt.datum.subject != THIS_MODEL).mark_bar(stroke=CHANCE)
    tooltip = "; ".join(
        f"{subject} {', '.join(f'{role} {number:.0f}' for role, number in counts[subject].items())}"
        for subject in subjects
    )
    return layered(
        [own, *([copies.encode(fill=filled)] if subjects[1:] else [])],
        height=ROW * len(names) + 90,
        description=f"Heads of each role: {tooltip}.",
    )
