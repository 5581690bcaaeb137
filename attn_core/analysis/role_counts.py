"""Stable roles in the windows of a text: nine settings from the head outputs of one pass."""

import pandas as pd

from attn_core.analysis.measured_windows import measure_window, passages_that_count, strong_pairs_in
from attn_core.analysis.reading import Reading
from attn_core.errors import TextError
from attn_core.measures.few_pairs import MIN_PAIRS
from attn_core.measures.roles import REMOVED
from attn_core.measures.stable_roles import SETTINGS, SHARES, STABLE, RoleCounts, stable_roles
from attn_core.models.head_outputs import HeadOutputs
from attn_core.similarity.strong_pairs import MEASURES, NO_PAIR, Settings
from attn_core.texts.passages import Passage

RolesBySetting = dict[str, RoleCounts]


def add_window(counts: RolesBySetting, passage: Passage, output: HeadOutputs, with_special: bool) -> None:
    """Add a window to the counts under each setting. Similarities are computed once for all shares of a measure."""
    for measure in MEASURES:
        choices = [Settings(measure, share, with_special) for share in SHARES]
        names = [name for name, (of, _) in SETTINGS.items() if of == measure]
        for name, window in zip(names, measure_window(passage, output, choices, {}), strict=True):
            counts.setdefault(name, RoleCounts()).add(window)


def has_roles(passage: Passage, with_special: bool) -> bool:
    """Whether a window has `MIN_PAIRS` strong pairs per head at 1 %."""
    return strong_pairs_in(passage, Settings(with_special=with_special)) >= MIN_PAIRS


def roles_of(reading: Reading, with_special: bool) -> pd.DataFrame:
    """The table of `stable_roles` over all windows that count. Raises TextError if no window has two tokens to pair."""
    kept, counts = passages_that_count(reading.passages, Settings(with_special=with_special)), RolesBySetting()
    if not kept:
        raise TextError(NO_PAIR)
    for passage, output in zip(reading.passages, reading.outputs, strict=True):
        if passage in kept:
            add_window(counts, passage, output, with_special)
    roles = stable_roles({name: of_setting.heads for name, of_setting in counts.items()})
    for head in reading.model.removed:
        roles.loc[head.rows_of(roles).index, [STABLE, *SETTINGS]] = REMOVED
    return roles.assign(settings=roles["settings"].where(roles[STABLE] != REMOVED, 0))
