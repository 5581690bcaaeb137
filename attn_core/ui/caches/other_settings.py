"""The verdicts under the other sensible settings, found in the background while a page is looked at."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from attn_core.analysis.reading import Reading
from attn_core.errors import InputError
from attn_core.findings.robustness import SoFar, sensible, verdicts
from attn_core.similarity.strong_pairs import Settings
from attn_core.ui.caches import in_folders, of_choice, readings
from attn_core.ui.choice import Choice


def so_far(choice: Choice) -> SoFar:
    """What is known of a choice; settings differ within it, so that a change of them loses nothing."""
    known = of_choice.verdicts_so_far(replace(choice, title="", settings=Settings()))
    if choice.study is None and readings.is_long(choice.key):
        known.problem = "each other setting would take as long again as this long window did."
    return known


def steps(choice: Choice) -> Iterator[Callable[[], object]]:
    """Find the verdicts under each of the sensible settings."""
    for settings in sensible(choice.settings):
        yield partial(_find, choice, settings)


def is_complete(choice: Choice) -> bool:
    """Whether nothing more will be known."""
    known = so_far(choice)
    return bool(known.problem) or all(settings in known.verdicts for settings in sensible(choice.settings))


def _find(choice: Choice, settings: Settings) -> None:
    known = so_far(choice)
    if settings in known.verdicts or known.problem:
        return
    try:
        known.verdicts[settings] = verdicts(_readings(choice), settings)
    except InputError as error:
        known.problem = str(error)


def _readings(choice: Choice) -> list[Reading]:
    if choice.study is not None:
        return in_folders.readings_of_study(choice.study)
    return [readings.reading(choice.key)]
