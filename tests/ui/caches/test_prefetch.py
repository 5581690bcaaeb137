"""What is prepared in the background is what the pages ask for, and it ends where something else was chosen."""

import gc
import weakref
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread

import pytest

from attn_core.analysis.one_text import analyze
from attn_core.errors import TextError
from attn_core.models.files import ModelSpec
from attn_core.models.loading import load
from attn_core.texts.documents import samples
from attn_core.ui.caches import of_choice, prefetch
from attn_core.ui.choice import Choice
from tests.families import Folder
from tests.ui.pages import opened


@pytest.mark.model
def test_a_page_without_a_text_reads_and_prepares_none(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared: list[Choice] = []
    read: list[Choice] = []
    results = of_choice.results

    def noted(choice: Choice) -> object:
        read.append(choice)
        return results(choice)

    monkeypatch.setattr(prefetch, "begin", prepared.append)
    monkeypatch.setattr(of_choice, "results", noted)
    for page, of_a_text in (("pages/10_Findings.py", False), ("pages/11_Training.py", False), ("dashboard.py", True)):
        opened(page)
        assert bool(prepared) == bool(read) == of_a_text, page


def test_of_a_long_text_nothing_is_made_before_it_is_asked_for(tiny_folder: Folder) -> None:
    choice = Choice(ModelSpec(str(tiny_folder("bert"))), "long", "The tide rose, and the boats rose with it. " * 800)
    of_all, of_one = (len(list(prefetch.steps(one))) for one in (choice, choice.of_one_window))
    assert of_all == 2 < of_one  # the model alone


@pytest.mark.long
@pytest.mark.model
def test_after_the_steps_a_page_computes_nothing_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    sample = samples()[0]
    for step in prefetch.steps(Choice(ModelSpec(), sample.title, sample.text, sample.language, window=0)):
        step()

    def never(*_: object, **__: object) -> None:
        raise AssertionError("this was prepared")

    for module, name in (
        ("attn_core.measures.clusters", "cluster_heads"),
        ("attn_core.segmentation", "encode_sentences"),
        ("attn_core.segmentation", "usual_heads"),
        ("attn_core.ui.caches.readings", "analyze_reading"),
        ("attn_core.ui.caches.of_choice", "analyze_reading"),
        ("attn_core.ui.caches.readings", "read"),
        ("attn_core.interventions.effects", "estimated_importance"),
    ):
        monkeypatch.setattr(f"{module}.{name}", never)
    for page in ("1_Heads", "2_Distances", "3_Specialization", "4_Anchor_tokens", "5_Segmentation", "7_Interventions"):
        app = opened(f"pages/{page}.py")
    assert any("**estimated** at once" in caption.value for caption in app.caption)  # with no wait for it


def test_it_stops_where_something_else_was_chosen_and_where_a_text_cannot_be_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done: list[str] = []
    first, second = (Choice(ModelSpec(), title, title) for title in ("first", "second"))

    def steps(choice: Choice) -> list[Callable[[], object]]:
        def choose_another() -> None:
            done.append(choice.text)
            prefetch._begun.append(second)

        def fail() -> None:
            done.append("fails")
            raise TextError("A pair needs two tokens.")

        return (
            [choose_another, lambda: done.append("too much")]
            if choice is first
            else [fail, lambda: done.append("too much")]
        )

    monkeypatch.setattr(prefetch, "HEAD_START", 0)
    monkeypatch.setattr(prefetch, "steps", steps)
    prefetch._begun.append(first)
    prefetch._prepare(first)
    prefetch._prepare(second)
    assert done == ["first", "fails"]
    prefetch._prepare(first)  # which many others have pushed out by now
    assert done == ["first", "fails"]
    prefetch._begun.clear()


def test_a_step_that_the_end_of_the_program_cuts_off_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def step() -> None:
        raise RuntimeError("cannot schedule new futures after interpreter shutdown")

    with pytest.raises(RuntimeError):
        prefetch._take(step)
    monkeypatch.setattr(prefetch, "main_thread", Thread)  # one that has not begun is not alive, as one that has ended
    monkeypatch.setattr(prefetch, "_ending", Event())
    prefetch._take(step)
    assert prefetch._ending.is_set()  # so that no other step follows


def test_a_collection_passes_over_the_modules_and_what_is_read_needs_none(tiny_bert_folder: Path) -> None:
    gc.unfreeze()
    prefetch._set_aside.__wrapped__()
    assert gc.get_freeze_count() > 10 * len(gc.get_objects())
    gc.disable()
    try:
        model = load(ModelSpec(str(tiny_bert_folder)))
        analysis = analyze("The tide rose. The tide fell.", model)
        assert len(analysis.statistics)
        held = [weakref.ref(thing) for thing in (model.network, analysis, analysis.reading, analysis.statistics)]
        del model, analysis
        assert not any(thing() for thing in held)
    finally:
        gc.enable()
        gc.unfreeze()
