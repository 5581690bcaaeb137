"""From steps to tables: those of the steps under one another, and what only a series can tell."""

from collections.abc import Sequence
from dataclasses import asdict

import pandas as pd

from attn_core.measures.roles import role_counts
from attn_core.series.claims import learned_table
from attn_core.series.folder import Step
from attn_core.series.probe_ranks import drift_table


def gathered_tables(steps: Sequence[Step]) -> dict[str, pd.DataFrame]:
    """Tables by name; steps by rising number.

    steps: step, name, revision, tokenizer, and what a look took where it was taken during the training. heads, layers:
    step, and the columns of a text or study. roles: step, role, heads that have it. settled: layer, head, role at the last
    step, since_step, from which on the head has had it at every step. drift: step, layer, head, drift, chance_drift. Where
    every step has them: claims, entropies: step, and their columns; learned: see `claims.learned_table`.
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
