"""What the next pages need, made in the background while the first one is looked at.

A thread fills the caches that the pages read, one step after the other, and stops where the user has chosen something
else by then. A page that is opened sooner waits for the step at work, never for all of them.
"""

import atexit
import gc
import logging
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache as once
from functools import partial
from threading import Event, Lock, Thread, current_thread, main_thread

from attn_core.errors import InputError, ModelError
from attn_core.models.controls import control_of
from attn_core.ui.caches import models_held, of_choice, readings, removals, segments
from attn_core.ui.choice import Choice

NAME = "attn_core prepares"
HEAD_START = 1.5  # seconds for the page on the screen, which goes first
_begun: deque[Choice] = deque(maxlen=16)
_one_at_a_time = Lock()
_ending = Event()


def begin(choice: Choice) -> None:
    """Prepare the pages for a choice, once for each."""
    if choice not in _begun:
        _begun.append(choice)
        Thread(target=_prepare, args=(choice,), name=NAME, daemon=True).start()


def steps(choice: Choice) -> Iterator[Callable[[], object]]:
    """What the pages ask of the caches at their first visit, in the order of the menu."""
    key = choice.key
    yield partial(models_held.model, choice.spec)
    yield _set_aside
    if readings.takes_long(key):
        return  # each of them may take minutes: nothing before it is asked for
    yield partial(readings.reading, choice.of_one_window.key)
    yield partial(of_choice.results, choice.of_one_window)
    yield partial(_estimate, choice)
    yield partial(of_choice.layers_by_share, choice)
    yield partial(of_choice.clustering, choice, "ward", None)
    yield lambda: readings.analysis(key, choice.settings).uniqueness
    yield partial(readings.keywords, key)
    yield partial(removals.find_reference, choice.spec)
    if len(choice.text) <= readings.LONGEST:
        yield partial(segments.topic_heads, key.whole)
        yield partial(_see_first_pattern, choice)
        if control_of(choice.spec, choice.layout) is None:
            yield partial(_read_controls, choice)
        if readings.document(choice.text, choice.language).gold is not None:
            yield partial(segments.gold_scores, key.whole, (), True)


def _estimate(choice: Choice) -> None:
    """The colours of Interventions, of models whose attention has gradients."""
    with suppress(ModelError):
        removals.estimate(choice.of_one_window.key, "mean")


def _see_first_pattern(choice: Choice) -> None:
    """What Patterns shows until another pattern is chosen."""
    from attn_core.patterns.rules import RULES  # nltk takes most of a second to import

    readings.pattern(choice.key, readings.windows_scored(choice.key), next(iter(RULES)), choice.settings.measure)


def _read_controls(choice: Choice) -> None:
    """The twins and the shuffled text, which Compare sets beside a text until another subject is chosen."""
    for other in of_choice.controls_of(choice).values():
        of_choice.results(other)
    of_choice.head_match(choice, of_choice.controls_of(choice)["untrained"])


@once
def _set_aside() -> None:
    """Let garbage collection pass over all that is imported by now.

    Streamlit asks for a collection after every run of a page. To look through all of torch, transformers and the rest takes
    half a second, in which nothing else runs. What is made later of models and texts is looked through as before.
    """
    gc.collect()
    gc.freeze()


def _prepare(choice: Choice) -> None:
    _ending.wait(HEAD_START)
    with _one_at_a_time:
        for step in steps(choice):
            if _ending.is_set():
                return
            if choice != _begun[-1]:
                with suppress(ValueError):  # where many choose at once, it has been forgotten already
                    _begun.remove(choice)
                return
            try:
                _take(step)
            except InputError:
                return  # the page that needs it says why


def _take(step: Callable[[], object]) -> None:
    """A step may be at work when the program ends: then Python starts no thread for it, which is no fault, and the last."""
    try:
        step()
    except RuntimeError:
        if main_thread().is_alive():
            raise
        _ending.set()


@atexit.register
def _end() -> None:
    """Wait for the step at work: a thread that the end of the program meets inside torch would abort it."""
    _ending.set()
    with _one_at_a_time:
        pass


def _not_of_ours(_record: logging.LogRecord) -> bool:
    return current_thread().name != NAME


# Streamlit warns of caches that are filled outside a page, since they cannot show how far they are.
logging.getLogger("streamlit.runtime.scriptrunner_utils.script_run_context").addFilter(_not_of_ours)
