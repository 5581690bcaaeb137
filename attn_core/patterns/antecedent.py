"""Which of some names a pronoun means, by the heads that GAP's development set chose: no training beyond that choice."""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np

from attn_core.errors import InputError
from attn_core.models.records import LoadedModel
from attn_core.patterns.annotated import AnnotatedText
from attn_core.patterns.gap import cut_around
from attn_core.patterns.joined import Joined
from attn_core.patterns.opened import PatternScores
from attn_core.patterns.word_maps import MAPS, WordOutputs, read_words
from attn_core.patterns.worker import words_within
from attn_core.texts.documents import Document, Span, read_document
from attn_core.texts.passages import read_passages

WAY = "joined, all"
CHOSEN = Path(__file__).with_name("antecedent_heads.json")  # by the revision of the model


def likely_antecedent(
    text: str, pronoun: Span, names: Sequence[Span], model: LoadedModel, heads: Joined | None = None
) -> tuple[int, np.ndarray]:
    """Which name the pronoun means: its place among `names`, and the score of each (of the chosen one the largest).

    pronoun, names: half-open character spans in `text`, apart from each other. heads: those that were chosen for another
    model, see `heads_of`; for the models that the project knows they may be left out.

    Raises InputError where no heads are known for the model, and where a span has no token in the pronoun's window.
    """
    joined = heads or known_heads(model)
    document = read_document(text)
    if document.text != text:
        raise InputError(
            "The text has characters that are not read (\\0, \\r or a byte order mark): take them out first."
        )
    words = cut_around(text, [pronoun, *names])
    annotated = AnnotatedText("", text, words, document.sentences, ())
    asked, *candidates = (words.index(span) for span in (pronoun, *names))
    for passage in read_passages(Document(text, document.sentences), model.tokenizer, model.max_tokens):
        within, numbers = words_within(passage, annotated)
        if asked not in numbers:
            continue
        if missing := [text[slice(*span)] for span, word in zip(names, candidates, strict=True) if word not in numbers]:
            raise InputError(f"{missing[0]!r} does not stand in one window with the pronoun: shorten the text.")
        outputs = read_words(model, passage, within)
        (scores,) = answers(outputs, joined, [(numbers[asked], [numbers[word] for word in candidates])])
        return int(scores.argmax()), scores
    raise InputError(f"{text[slice(*pronoun)]!r} has no token in this text.")


def answers(outputs: WordOutputs, joined: Joined, questions: Sequence[tuple[int, Sequence[int]]]) -> list[np.ndarray]:
    """For each word and its candidates the score of every candidate: the heads' values over their scales, added up."""
    layers = np.unique(joined.layers)
    maps = np.stack([outputs.of_layer(layer) for layer in layers.tolist()], axis=1)
    kinds, at = [MAPS.index(kind) for kind in joined.kinds], np.searchsorted(layers, joined.layers)
    of_heads = maps[kinds, at, joined.heads] / joined.scales[:, None, None]
    return [of_heads[:, word, list(candidates)].sum(axis=0) for word, candidates in questions]


def heads_of(scores: PatternScores) -> Joined:
    """The heads that all texts of a scored GAP file chose."""
    table = scores.table("joined_heads")
    own = table[(table["way"] == WAY) & (table["chosen_on"] == "all texts")]
    return _joined(own.to_dict("records"))


def known_heads(model: LoadedModel) -> Joined:
    """The heads that the project has chosen for a model. Raises InputError where it knows none."""
    known = _known()
    if model.revision not in known:
        raise InputError(
            f"No heads are chosen for {model.spec.name}: score it on GAP with `python -m attn_core patterns gap.tsv` and give "
            "its heads."
        )
    return _joined(known[model.revision])


def _joined(rows: list[dict]) -> Joined:
    return Joined(
        tuple(row["map"] for row in rows),
        np.array([row["layer"] for row in rows]) - 1,
        np.array([row["head"] for row in rows]) - 1,
        np.array([row["scale"] for row in rows]),
    )


@cache
def _known() -> dict[str, list[dict]]:
    return json.loads(CHOSEN.read_text(encoding="utf-8"))
