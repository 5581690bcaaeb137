"""What a model still can without some of its heads: tell whom a pronoun means (GAP), and where a text changes its topic (Pk).

The heads that are left answer, chosen anew under each removal, as `patterns` and `segment` choose them: what is lost is what
no other head holds. A head that was removed answers nothing, its attention neither.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import numpy as np

from attn_core.errors import InputError, TextError
from attn_core.interventions.effects import Removal
from attn_core.io.paths import shown
from attn_core.models.intervened import intervened
from attn_core.models.intervention import Intervention, Replace
from attn_core.models.records import LoadedModel
from attn_core.numerics.poisson_bootstrap import LEAST
from attn_core.patterns.annotated import AnnotatedText
from attn_core.patterns.antecedent import WAY
from attn_core.patterns.files import annotated_files
from attn_core.patterns.gap import ANTECEDENT
from attn_core.patterns.joined import WAYS, choose
from attn_core.patterns.over_texts import halves
from attn_core.patterns.worker import count_text
from attn_core.segmentation.gold_texts import NO_CUT, gold_texts, score_text
from attn_core.segmentation.methods import by_name
from attn_core.texts.documents import Document
from attn_core.texts.passages import Layout

TOGETHER = next(way for way in WAYS if way.name == WAY)
METHOD, BY_CHANCE = by_name("partition"), by_name("even_cuts")  # what `segment` takes, and its chance level


@dataclass(frozen=True)
class Tasks:
    """What is asked. snippets: each with a pronoun that means one of two names. gold: texts with gold boundaries, by file."""

    snippets: tuple[AnnotatedText, ...] = ()
    gold: Mapping[str, Document] = field(default_factory=dict)

    @property
    def number(self) -> int:
        """How many tasks there are."""
        return bool(self.snippets) + bool(self.gold)


def read_snippets(file: Path) -> tuple[AnnotatedText, ...]:
    """The snippets of a GAP file that can be asked. Raises InputError as `choices`, and for a file that cannot be read."""
    return choices(annotated_files([file]).texts, file.name)


def choices(texts: Sequence[AnnotatedText], name: str) -> tuple[AnnotatedText, ...]:
    """The snippets whose pronoun means one of two names. Raises InputError for fewer than four. name: of their file."""
    found = tuple(text for text in texts if _is_choice(text))
    if len(found) < LEAST:
        raise InputError(
            f"{shown(name)} has {len(found)} snippets whose pronoun means one of two names: give a file of GAP with "
            f"{LEAST} at least."
        )
    return found


def read_gold(folder: Path) -> dict[str, Document]:
    """The texts with gold boundaries of a folder by file. Raises InputError where there is none."""
    if not folder.is_dir():
        raise InputError(f"There is no folder {shown(folder)}: gold texts are the .txt files of a folder.")
    return gold_texts(folder)


def digest_of_gold(gold: Mapping[str, Document]) -> str:
    """SHA-256 over the names of the texts, what they say, and their boundaries."""
    told = (f"{name}\0{document.text}\0{document.gold}" for name, document in gold.items())
    return sha256("\0\0".join(told).encode("utf-8", "surrogateescape")).hexdigest()


def named_rightly(margins: np.ndarray, texts: np.ndarray) -> np.ndarray:
    """Whether the heads that the other half of the snippets chose name each one's right name, (n,); 0.5 where none prefers any.

    margins: (n, map, layer, head). texts: (n,), the snippets' numbers, which say what half each is of.
    """
    half, right = halves(texts), np.empty(len(margins))
    for side in (False, True):
        right[half == side] = np.heaviside(choose(margins[half != side], TOGETHER).answers(margins[half == side]), 0.5)
    return right


def _is_choice(text: AnnotatedText) -> bool:
    return any(
        len(question.candidates) == 2 and len(question.right) == 1
        for relation in text.relations
        if relation.name == ANTECEDENT
        for question in relation.questions
    )


def margins_without(
    model: LoadedModel, snippet: AnnotatedText, removal: Removal, replace: Replace, layout: Layout
) -> np.ndarray:
    """By how much each head that is left prefers the right name, (map, layer, head), 0 for those that are removed.

    snippet: of `tasks.read_snippets`. Raises TextError where the pronoun and both names do not lie in one window.
    """
    counts = count_text(without(model, removal, replace), snippet, layout).relations.get(snippet.relations[0].name)
    if counts is None or not len(counts.margins):
        raise TextError("The pronoun and its two names do not lie in one window.")
    (margins,) = counts.margins.copy()
    for head in removal:
        margins[:, head.layer, head.head] = 0
    return margins


def pk_without(
    model: LoadedModel, document: Document, removal: Removal, replace: Replace
) -> tuple[np.ndarray, np.ndarray]:
    """Pk of `METHOD` with the number of segments given and found, (2,), and by chance: of even cuts, and of no cut, (2,)."""
    rows = score_text(document, without(model, removal, replace), (METHOD, BY_CHANCE))
    pk = {(row["method"], row["number_given"]): row["pk"] for row in rows}
    own = np.array([pk[METHOD.name, True], pk[METHOD.name, False]])
    return own, np.array([pk[BY_CHANCE.name, True], pk[NO_CUT, False]])


def without(model: LoadedModel, removal: Removal, replace: Replace) -> LoadedModel:
    """The model without some heads; itself where none is removed."""
    return intervened(model, Intervention(tuple(removal), replace)) if removal else model
