"""The report of a training: what its steps did to layers, roles and heads."""

from collections.abc import Iterator

import pandas as pd

from attn_core.charts.learning import learned_by_step, sureness_by_step
from attn_core.charts.series import drift_by_step, layers_by_step, roles_by_step
from attn_core.comparison.causes import too_few
from attn_core.head import Head
from attn_core.measures.statistics import BY_NAME
from attn_core.report import cells, commands
from attn_core.report.document import Figure, Report, Section, Table
from attn_core.report.figures import figure
from attn_core.report.parts import made_of, method, of_its_own, short
from attn_core.series.gathered import claim_cells, has_twins
from attn_core.series.opened import Series, learned_rows
from attn_core.study.in_words import layout_in_words, settings_in_words

STATISTICS = ("mean_distance", "same_sentence_share", "noise_rate", "separator_attention")
ROWS = 12  # heads that changed most, in a table
TERMS = ("head_output", "similarity", "strong_pairs", "chance", "anchor", "role")
ASKED = "When did a head become what it is? The same texts are read by one model at several steps of its training."
MEANT = (
    "**Drift** of a head: how far its similarity matrix at a step is from that at the last step: 0 is the same, 1 has nothing in "
    "common with it. Chance level: the matrices with their tokens in random order.",
    "**Reach** of a layer: the mean distance of its heads' strong pairs over that of all pairs, which is the chance level: 1.",
)
LIMITS = (
    "One training of one model: another seed, or other data, may take another way.",
    "A head has a role where a property beats chance by 10% of its strong pairs: our choice, and a head near it may change its "
    "role from one step to the next and back.",
)
STEPS = "Steps lie on a log axis."
LEARNED = (
    "A cell has the effect of a row of the claims at a step. Learned: beyond the untrained and the permuted twin by more "
    f"than the margin. Steps stand side by side, not on a log axis. {too_few(1)}"
)
BY_WORDS = "dashed is an even guess among all words of the vocabulary."
LINES = f"{STEPS} A line is the mean of a layer's heads; dashed is chance."


def of_series(series: Series, _quote: bool) -> Report:
    """A series, which holds no text that could be quoted."""
    settings = series.manifest["settings"]
    model = short(str(series.manifest["model"]))
    how = ", ".join([layout_in_words(settings["layout"]), *settings_in_words(settings)])
    said = f"{model} at {len(series.numbers)} steps, {', '.join(f'{one:,}' for one in series.numbers)}; {how}."
    in_short = Section(
        "In short",
        told=(said, _roles_changed(series)),
        figures=tuple(_figures(series)),
        tables=(*_learned(series), _layers(series), _heads(series)),
    )
    return made_of(
        f"What a training did to the heads of {model}: {series.folder.name}",
        "A training, step by step",
        of_its_own(ASKED),
        (in_short,),
        method=method(TERMS, (cells.roles(), *MEANT, *cells.meanings(STATISTICS))),
        read=(_steps(series), cells.of_provenance(series.provenance)),
        limits=LIMITS,
        again=commands.of_series(series.manifest, series.tables["steps"], _asked(series)),
    )


def _roles_changed(series: Series) -> str:
    heads = series.tables["heads"]
    first, last = series.numbers[0], series.numbers[-1]
    roles = heads.pivot(index=["layer", "head"], columns="step", values="role")
    changed = int((roles[first] != roles[last]).sum())
    return f"From step {first:,} to step {last:,} {changed} of {len(roles)} heads change their role."


def _steps(series: Series) -> Table:
    rows = [
        {"step": f"{one.step:,}", "name": str(one.name), "weights (commit or SHA-256)": str(one.revision)}
        for one in series.tables["steps"].itertuples()
    ]
    return Table.of("The steps", rows, words=None)


def _asked(series: Series) -> list[str]:
    """The options behind the tables that not every series has."""
    twins = "claims" in series.tables and has_twins(series.tables["claims"])
    return ["--twins"] * twins + ["--entropy"] * ("entropies" in series.tables)


def _learned(series: Series) -> Iterator[Table]:
    """Where the series has twins: each row of the claims, at the first step and at the last, and since when it is learned."""
    if "learned" in series.tables:
        head, rows = learned_rows(series)
        yield Table("From which step on is a row of the claims learned?", head, rows, words=6)


def _layers(series: Series) -> Table:
    """Reach and drift of each layer, at the first step and at the last."""
    layers, drift = series.tables["layers"], series.tables["drift"]
    first, last = series.numbers[0], series.numbers[-1]
    reach = (layers["mean_distance"] / layers["chance_mean_distance"]).groupby([layers["step"], layers["layer"]]).mean()
    moved = drift[drift["step"] == first].groupby("layer")[["drift", "chance_drift"]].mean()
    rows = [
        {
            "layer": f"{layer}",
            f"reach at step {first:,}, times chance": f"{reach[first, layer]:.2f}",
            f"at step {last:,}": f"{reach[last, layer]:.2f}",
            f"drift since step {first:,}": f"{row['drift']:.2f}",
            "by chance": f"{row['chance_drift']:.2f}",
        }
        for layer, row in moved.iterrows()
    ]
    return Table.of("What the training did to each layer", rows)


def _heads(series: Series) -> Table:
    """The heads that changed most, with their roles."""
    first, last = series.numbers[0], series.numbers[-1]
    heads, drift = series.tables["heads"], series.tables["drift"]
    roles = heads.pivot(index=["layer", "head"], columns="step", values="role")
    settled = series.tables["settled"].set_index(["layer", "head"])["since_step"]
    moved = drift[drift["step"] == first].set_index(["layer", "head"])[["drift", "chance_drift"]]
    most = moved.sort_values("drift", ascending=False, kind="stable").head(ROWS)
    rows = tuple(
        (str(Head.of_row(*map(int, at))), str(roles.loc[at, first]), str(roles.loc[at, last]), f"{settled[at]:,}",
         f"{row['drift']:.2f}", f"{row['chance_drift']:.2f}")
        for at, row in most.iterrows()
    )  # fmt: skip
    head = ("head", f"role at step {first:,}", f"at step {last:,}", "has it since step", "drift", "by chance")
    return Table(f"The {len(rows)} heads that changed most", head, rows, words=3)


def _figures(series: Series) -> Iterator[Figure]:
    if "claims" in series.tables:
        chart = learned_by_step(claim_cells(series.tables["claims"]))
        yield figure(chart, "What is learned, by step", LEARNED)
    if "entropies" in series.tables:
        chart = sureness_by_step(series.tables["entropies"])
        yield figure(
            chart, "How sure of a word each layer is", f"{STEPS} A line is a layer, 0 the embeddings; {BY_WORDS}"
        )
    layers = series.tables["layers"]
    for statistic in (BY_NAME[name] for name in STATISTICS):
        known: pd.Series = layers[statistic.name].notna()
        if known.any():
            yield figure(
                layers_by_step(layers[known], statistic), f"{statistic.label} by step", f"{statistic.question} {LINES}"
            )
    yield figure(roles_by_step(series.tables["roles"]), "How many heads have each role, by step", STEPS)
    panels = f"A panel is a layer, a thin line a head, the thick line their mean; dashed is chance. {STEPS}"
    yield figure(drift_by_step(series.tables["drift"]), "How far every head is from what it becomes", panels)
