"""The unrelated texts that a text of a study is held against: drawn for it from the corpus, none of its own group."""

from collections.abc import Sequence
from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np

from attn_core.analysis.unrelated import Unrelated
from attn_core.errors import TextError
from attn_core.models.capture import capture
from attn_core.models.records import LoadedModel
from attn_core.runs.job import Piece
from attn_core.similarity.strength import OF_EACH, places_looked_at
from attn_core.similarity.words import in_unit
from attn_core.study.plan import HasTexts, cut
from attn_core.study.settings import StudySettings
from attn_core.texts.documents import read_document
from attn_core.texts.passages import read_beginning

OTHERS = 4  # that a text is held against
POOL = 64  # groups of a corpus of which they are drawn, a text of each
CHARACTERS = 4096  # of each, about two windows
_read: "WeakKeyDictionary[LoadedModel, dict[tuple[object, ...], Unrelated | None]]" = WeakKeyDictionary()


def drawn_pool(corpus: HasTexts, seed: int) -> tuple[Piece, ...]:
    """The beginnings of some texts of a corpus, of groups drawn at random and one of each drawn from it."""
    kept: dict[int, tuple[float, float, Piece]] = {}
    for text in corpus.texts():
        if text.text is None or not text.text.strip():
            continue
        of_group, own = _drawn(seed, 0, text.group), _drawn(seed, 1, text.number)
        if own < kept.get(text.group, (0.0, 1.0))[1]:
            beginning = cut(text.text[: 2 * CHARACTERS], CHARACTERS)[0]
            kept[text.group] = of_group, own, Piece(text.number, text.name, 0, beginning, None, text.group)
            if len(kept) > POOL:
                del kept[max(kept, key=lambda group: kept[group][0])]
    return tuple(piece for _, _, piece in sorted(kept.values(), key=lambda one: one[0]))


def others_of(piece: Piece, pool: Sequence[Piece], seed: int) -> list[Piece]:
    """The texts that one is held against, in an order drawn for it; more than are needed, since some may not be counted."""
    others = [one for one in pool if one.group != piece.group]
    return sorted(others, key=lambda one: _drawn(seed, 2, piece.number, one.number))


def unrelated_texts(
    model: LoadedModel, piece: Piece, pool: Sequence[Piece], settings: StudySettings
) -> tuple[Unrelated, ...]:
    """As many of its tokens as are looked at of each of four other texts; fewer, or none, where the corpus has no more."""
    found: list[Unrelated] = []
    for other in others_of(piece, pool, settings.seed):
        if len(found) < OTHERS and (read := _as_read(model, other, settings)) is not None:
            found.append(read)
    return tuple(found)


def _as_read(model: LoadedModel, piece: Piece, settings: StudySettings) -> Unrelated | None:
    known = _read.setdefault(model, {})
    chosen = settings.analysis
    key = piece.text, settings.language, settings.layout, settings.min_tokens, chosen.unit, chosen.with_special
    if key not in known:
        if len(known) >= 2 * POOL:
            known.clear()
        known[key] = _tokens(model, piece, settings)
    return known[key]


def _tokens(model: LoadedModel, piece: Piece, settings: StudySettings) -> Unrelated | None:
    """The tokens of the beginning that are looked at; none where a study would not count it."""
    try:
        document = read_document(piece.text or "", settings.language)
        passage = read_beginning(document, model.tokenizer, model.max_tokens, settings.layout)
    except TextError:
        return None
    if len(passage) < settings.min_tokens:
        return None
    passage, output = in_unit(settings.analysis.unit, passage, capture(model, [passage])[0])
    at = places_looked_at(passage, settings.analysis.with_special, OF_EACH)
    if not len(at):
        return None
    of_tokens = ("token_ids", "starts", "ends", "sentences", "pretokens", "is_special", "is_separator")
    some = {name: getattr(passage, name)[at] for name in of_tokens}
    return Unrelated(replace(passage, tokens=tuple(passage.tokens[i] for i in at), **some), output.z[:, :, at])


def _drawn(*what: int) -> float:
    return float(np.random.default_rng(what).random())
