"""What a model without some of its heads answers when a task is asked: see `tasks`."""

import numpy as np

from attn_core.errors import TextError
from attn_core.interventions.effects import Removal
from attn_core.models.intervened import intervened
from attn_core.models.intervention import Intervention, Replace
from attn_core.models.records import LoadedModel
from attn_core.patterns.annotated import AnnotatedText
from attn_core.patterns.worker import count_text
from attn_core.segmentation.gold_benchmark import NO_CUT, scores_of
from attn_core.segmentation.methods import by_name
from attn_core.texts.documents import Document
from attn_core.texts.passages import Layout

METHOD, BY_CHANCE = by_name("partition_joined"), by_name("even_cuts")  # what `segment` takes, and its chance level


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
    rows = scores_of(document, without(model, removal, replace), (METHOD, BY_CHANCE))
    pk = {(row["method"], row["number_given"]): row["pk"] for row in rows}
    own = np.array([pk[METHOD.name, True], pk[METHOD.name, False]])
    return own, np.array([pk[BY_CHANCE.name, True], pk[NO_CUT, False]])


def without(model: LoadedModel, removal: Removal, replace: Replace) -> LoadedModel:
    """The model without some heads; itself where none is removed."""
    return intervened(model, Intervention(tuple(removal), replace)) if removal else model
