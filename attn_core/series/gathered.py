"""From steps to tables: those of the steps under one another, and what only a series can tell.

That is how far each head is from what it becomes, and what a step says to each row of the claims, beside the networks that never
learned, and since when a row is learned.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict

import numpy as np
import pandas as pd

from attn_core.comparison.causes import LEARNED, NOT_ASKED, learned
from attn_core.comparison.differences import differences
from attn_core.findings.bars import BY_EFFECT, Effect
from attn_core.findings.verdicts import findings
from attn_core.measures.roles import role_counts
from attn_core.models.controls import NAMES
from attn_core.models.files import TWINS, Twin
from attn_core.series.folder import Step
from attn_core.series.probe_ranks import drift_table
from attn_core.study.opened import Study


def gathered_tables(steps: Sequence[Step]) -> dict[str, pd.DataFrame]:
    """Tables by name; steps by rising number.

    steps: step, name, revision, tokenizer. heads, layers: step, and the columns of a text or study. roles: step, role, heads
    that have it. settled: layer, head, role at the last step, since_step, from which on the head has had it at every step.
    drift: step, layer, head, drift, chance_drift. Where every step has them: claims, entropies: step, and their columns;
    learned: see `learned_table`.
    """
    numbers = [step.facts.number for step in steps]
    more = {
        name: _under_one_another(numbers, [step.more[name] for step in steps])
        for name in steps[-1].more
        if all(name in step.more for step in steps)
    }
    if "claims" in more:
        more["learned"] = learned_table(more["claims"])
    return {
        "steps": pd.DataFrame([asdict(step.facts) for step in steps]).rename(columns={"number": "step"}),
        "heads": _under_one_another(numbers, [step.heads for step in steps]),
        "layers": _under_one_another(numbers, [step.layers for step in steps]),
        "roles": _under_one_another(numbers, [_roles(step) for step in steps]),
        "settled": _settled(steps),
        "drift": drift_table(numbers, [step.ranks for step in steps]),
        **more,
    }


def _roles(step: Step) -> pd.DataFrame:
    return role_counts(step.heads["role"]).rename_axis("role").rename("heads").reset_index()


def _settled(steps: Sequence[Step]) -> pd.DataFrame:
    roles = steps[-1].heads[["layer", "head", "role"]].reset_index(drop=True)
    since = pd.Series(steps[-1].facts.number, index=roles.index)
    unbroken = pd.Series(True, index=roles.index)
    for step in reversed(steps):
        unbroken &= step.heads["role"].reset_index(drop=True) == roles["role"]
        since[unbroken] = step.facts.number
    return roles.assign(since_step=since)


def _under_one_another(numbers: Sequence[int], tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    together = pd.concat(tables, keys=numbers, names=["step"])
    return together.reset_index("step").reset_index(drop=True)


def claims_table(study: Study, twins: Mapping[Twin, Study]) -> pd.DataFrame:
    """One row a row of the claims: claim, topic, effect, verdict, unclear, value, low, high, chance, learned.

    Of each kind of twin its value and how far the step is beyond it, such as untrained, beyond_untrained with its bounds; NaN
    without one, as is the value of a row that cannot be asked.
    """
    beside = {kind: {one.bars.effect: one for one in differences(study, twin)} for kind, twin in twins.items()}
    rows = []
    for finding in findings(study, {NAMES[kind]: twin for kind, twin in twins.items()}):
        against = {kind: by_row[finding.row] for kind, by_row in beside.items() if finding.row in by_row}
        row: dict[str, object] = {
            "claim": finding.claim, "topic": finding.topic, "effect": finding.row, "verdict": finding.verdict,
            "unclear": finding.unclear, "learned": learned({kind: one.outcome for kind, one in against.items()}),
        }  # fmt: skip
        for name in ("value", "low", "high", "chance"):
            row[name] = getattr(finding.effect, name) if finding.effect else np.nan
        for kind in TWINS:
            one = against.get(kind)
            row |= {
                kind: one.second if one else np.nan,
                f"beyond_{kind}": one.first - one.second if one else np.nan,
                f"beyond_{kind}_low": one.low if one else np.nan,
                f"beyond_{kind}_high": one.high if one else np.nan,
            }
        rows.append(row)
    return pd.DataFrame(rows)


def has_twins(claims: pd.DataFrame) -> bool:
    """Whether the rows of a step were held against its twins."""
    return bool((claims["learned"] != NOT_ASKED).any())


def learned_table(claims: pd.DataFrame) -> pd.DataFrame:
    """One row a row of the claims: claim, topic, effect; verdict, learned, value at the last step; since_step.

    claims: of all steps, by rising step. since_step: from which step on the row is learned at every step; NaN where it is not
    at the last one.
    """
    rows = []
    for effect, steps in claims.groupby("effect", sort=False):
        last = steps.iloc[-1]
        broken = np.flatnonzero(steps["learned"] != LEARNED)
        since = steps["step"].iloc[broken[-1] + 1 if len(broken) else 0] if last["learned"] == LEARNED else np.nan
        told = {name: last[name] for name in ("claim", "topic", "verdict", "learned", "value")}
        rows.append({"effect": effect, **told, "since_step": since})
    return pd.DataFrame(rows)


def claim_cells(claims: pd.DataFrame) -> pd.DataFrame:
    """The rows as they are shown: the table with name, the effect as short, as number, and as told, beside its twins'."""
    rows = []
    for row in claims.to_dict("records"):
        bars = BY_EFFECT[str(row["effect"])]
        number = Effect(bars, row["value"], row["low"], row["high"], row["chance"], 0, "texts").number
        twins = [f"{NAMES[kind]} {bars.number(row[kind])}" for kind in TWINS if not pd.isna(row[kind])]
        asked = not pd.isna(row["value"])
        short = bars.number(row["value"]).removesuffix("%") if asked else ""
        unit = "times" if bars.unit == "times" else "%"
        told = ", ".join([number, *twins]) if asked else ""
        rows.append(
            {**row, "name": f"{bars.name}, {unit}", "short": short, "number": number if asked else "", "told": told}
        )
    return pd.DataFrame(rows)
