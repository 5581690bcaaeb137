"""Links that nobody would write on purpose: whatever they ask for, a page is drawn, and markup in them is never run."""

import random
from typing import Any

import pytest

from attn_core.models.files import ModelSpec
from attn_core.similarity.strong_pairs import Settings
from attn_core.ui.corpus.starting import ON_DISK, UPLOADED
from attn_core.ui.runs.watching import ELSEWHERE
from tests.ui.pages import MARKED_PAIRS, OWN_RULE, PAGES, opened, shown

OF_EVERY_PAGE = "revision control layout measure q special unit text language window window_tokens stack a b shown"
OF_PAGE = {
    "Home": "by text pasted",
    "Heads": "maps open-strongest open-alike open-crop open-statistics-of-two-heads",
    "Distances": "sensitivity open-scores open-sensitivity open-layers open-distances",
    "Specialization": "colour x y open-scatter open-kinds-of-all open-clusters open-noise open-likeness open-features",
    "Anchor_tokens": "token open-uniqueness open-around open-keywords",
    "Segmentation": "heads_alone open-gold-scores open-separators open-topics open-segments",
    "Patterns": "pattern first second where farthest within different marks relations relations_folder seen_by "
    "open-relations open-pattern-heads",
    "Interventions": "off replace largest order ablation ablation_folder ablation_table open-words-changed "
    "open-pruning-curve open-entropy open-ablation",
    "Compare": "compared compare_with b_text b_model b_off b_replace open-best-matches open-maps open-curves",
    "Corpus": "study study_folder subject tab claim relations_of seen_by a "
    "series_statistic corpus_source corpus_path corpus_documents corpus_column corpus_groups study_name "
    "study_rules study_models "
    "with_baselines every_setting study_windows",
}  # fmt: skip
NONSENSE = [
    "", " ", "-1", "0", "1e400", "-1e400", "nan", "inf", "9" * 30, "1.5", "L99H99", "L0H0", "L1H2 L3", "None", "true",
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "**b** [x](javascript:alert(1)) $x$ :red[no]", "`",
    "\0", "../../../etc/passwd", "/etc", "no-such-org/no-such-model", "%00%ff", "مرحبا", "😀" * 40, "e\u0301\u202e",
    "x" * 5000, "(", "(?:ab){99999999}", "(a+)+$", "12-40 3-9 7-7 999999-1",
    "'; drop table heads; --", ["1", "<b>2</b>"], ["", ""],
]  # fmt: skip
DEEPER = {  # what exists, so that other nonsense reaches the widgets behind it
    "pattern": [OWN_RULE, MARKED_PAIRS],
    "compare_with": ["heads removed", "another model", "another text"],
    "tab": ["Start a study", "Every setting", "Training", "Examples", "Patterns", "By layer and head"],
    "study": [ELSEWHERE, "minilm-on-sample-texts", "from-noise"],
    "ablation": [ELSEWHERE],
    "corpus_source": [ON_DISK, UPLOADED],
}


def links(number: int, model: str, seed: int = 0) -> list[tuple[str, dict[str, Any]]]:
    """Pages with made-up addresses, the same for the same seed. model: a folder, at times replaced by nonsense."""
    draw, made = random.Random(seed), []
    for at in range(number):
        page = PAGES[at % len(PAGES)]
        own = OF_PAGE[page.split("_", 1)[1].removesuffix(".py")].split()
        names = {*draw.sample(OF_EVERY_PAGE.split(), 3), *draw.sample(own, min(4, len(own))), *(DEEPER.keys() & own)}
        address = {name: _value(name, draw) for name in sorted(names)}
        made.append((page, address | {"model": draw.choice(NONSENSE) if draw.random() < 0.05 else model}))
    return made


def _value(name: str, draw: random.Random) -> Any:
    if name.startswith("open-"):
        return draw.choice(["true", "true", *NONSENSE])
    return draw.choice(DEEPER[name] if name in DEEPER and draw.random() < 0.7 else NONSENSE)


@pytest.mark.long
@pytest.mark.usefixtures("tiny_default")
def test_no_link_ends_a_page_or_runs_its_markup(tiny: ModelSpec) -> None:
    for page, address in links(len(PAGES), tiny.name):
        app = opened(page, **address)
        for message in (*app.warning, *app.error, *app.caption, *app.markdown):
            assert "<script>" not in message.value and "[x](javascript" not in message.value, address


def test_a_link_without_a_value_has_the_default(tiny: ModelSpec) -> None:
    app = opened("pages/3_Specialization.py", model=tiny.name, measure="", layout="", colour=["", ""])
    assert (shown(app).settings, shown(app).layout) == (Settings(), "plain")
