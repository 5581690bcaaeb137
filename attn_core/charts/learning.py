"""What a training teaches: the rows of the claims, and how sure of a word each layer is, step by step."""

import altair as alt
import pandas as pd

from attn_core.charts.marks import legend_columns
from attn_core.charts.reproduction import INK
from attn_core.charts.series import layer_colours, step_axis
from attn_core.charts.style import CHANCE, DASHED, layered, tip

# Pale, so that dark ink stands on them; in the order of the rule that tells which is the lowest.
LEARNED = {
    "learned": "#a6dcc8", "less than counts": "#dcefe7", "no difference": "#d5d8dd", "open": "#eceef1",
    "the other way": "#f3bd94", "not asked": "#f6f7f8",
}  # fmt: skip
ROW, HEADER = 25, 110  # pixels: a row; the steps and the legend, of three lines where it is narrow


def learned_by_step(cells: pd.DataFrame) -> alt.LayerChart:
    """Rows of the claims x steps: whether the row is learned by then, and its effect.

    cells: step, name (of the row), short (its effect), learned, verdict, and told, the effect beside those of the twins.
    """
    names, steps = list(dict.fromkeys(cells["name"])), sorted(cells["step"].unique().tolist())
    axis = alt.Axis(orient="top", labelAngle=0, labelOverlap=False, format=",d")
    base = alt.Chart(cells).encode(
        x=alt.X("step:O", title="step", axis=axis),
        y=alt.Y("name:N", sort=names, title=None, axis=alt.Axis(labelLimit=240)),
        tooltip=[
            tip("name:N", title="row"), tip("step:Q"), tip("learned:N"),
            tip("verdict:N"), tip("told:N", title="effect"),
        ],
    )  # fmt: skip
    scale = alt.Scale(domain=list(LEARNED), range=list(LEARNED.values()))
    legend = alt.Legend(
        title=None,
        orient="bottom",
        columns=legend_columns(LEARNED, len(LEARNED)),
        symbolSize=180,
        symbolStrokeColor=CHANCE,
        symbolStrokeWidth=1,
    )
    colour = alt.Color("learned:N", scale=scale, legend=legend)
    last = cells[cells["step"] == steps[-1]]
    told = [f"{row}: {said}" for row, said in zip(last["name"], last["learned"], strict=True)]
    return layered(
        [
            base.mark_rect(stroke="#ffffff", strokeOpacity=0.35).encode(color=colour),
            base.mark_text(fontSize=11, color=INK, limit=alt.ExprRef(f"width / {len(steps)} - 4")).encode(
                text="short:N"
            ),
        ],
        height=HEADER + ROW * len(names),
        description=f"{len(names)} rows of the claims at {len(steps)} steps. At the last {'; '.join(told)}.",
    )


def sureness_by_step(entropies: pd.DataFrame) -> alt.LayerChart:
    """Entropy of the word that each layer would put at a masked place, in bits, a line a layer; an even guess dashed.

    entropies: step, layer (0: the embeddings), entropy, cross_entropy, chance_entropy.
    """
    base = alt.Chart(entropies).encode(
        x=step_axis(entropies, "an even guess"),
        tooltip=[
            tip("step:Q"), tip("layer:Q"), tip("entropy:Q", ".2f"),
            tip("cross_entropy:Q", ".2f", "bits given to the true word"),
            tip("chance_entropy:Q", ".2f", "an even guess among all words"),
        ],
    )  # fmt: skip
    lines = base.mark_line(strokeWidth=2.5, point=True)
    lines = lines.encode(
        y=alt.Y("entropy:Q", title="entropy, bits", scale=alt.Scale(zero=False)),
        color=alt.Color(
            "layer:O", scale=layer_colours(entropies["layer"]), legend=alt.Legend(title="layer", orient="right")
        ),
    )
    chance = base.mark_line(**DASHED).encode(y=alt.Y("mean(chance_entropy):Q"))
    last = entropies["step"].max()
    end = entropies[entropies["step"] == last].set_index("layer")["entropy"]
    return layered(
        [chance, lines],
        height=300,
        description=f"Entropy of a masked word by step and layer. At step {last:,} layer {end.index[0]} has "
        f"{end.iloc[0]:.1f} bits, layer {end.index[-1]} {end.iloc[-1]:.1f}; an even guess has "
        f"{entropies['chance_entropy'].iloc[0]:.1f}.",
    )  # fmt: skip
