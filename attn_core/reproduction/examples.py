"""Pairs in which a claim can be read: of a text of the corpus, read again under our usual choice.

A reproduction keeps sums and no text, and its texts stay where they are. A pair shows what a claim means; it proves nothing.
"""

from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd

from attn_core.analysis.one_text import Analysis, analyze_reading
from attn_core.analysis.reading import read
from attn_core.errors import InputError
from attn_core.findings.examples import examples_of_claim
from attn_core.io.paths import shown
from attn_core.measures.window_counts import count_window
from attn_core.models.records import LoadedModel
from attn_core.similarity.strong_pairs import Settings
from attn_core.study.corpus import Corpus
from attn_core.study.examples import Where, candidates, merged, with_text
from attn_core.texts.documents import read_document


def read_again(model: LoadedModel, revision: str, corpus: Mapping[Hashable, Any], source: str, number: int) -> Analysis:
    """The first window of a text, counted from 0, under our usual choice.

    revision: of the model that was read. corpus: a row of the corpora; source: where it lies here. Raises InputError where
    model or texts are others now, and for a text that cannot be read.
    """
    if model.revision != revision:
        raise InputError(f"{model.spec.name} is another version here than the one that was read.")
    column, limit, groups = (
        None if pd.isna(told := corpus.get(name)) else told for name in ("column", "limit", "groups")
    )
    texts = Corpus(source, column, corpus["documents"], None if limit is None else int(limit), groups)
    if texts.fingerprint() != corpus["fingerprint"]:
        raise InputError(f"The texts in {shown(source)} have changed since they were read.")
    text = next((one for one in texts.texts() if one.number == number), None)
    if text is None or text.text is None:
        raise InputError(f"Text {number + 1} of the corpus could not be read: choose another.")
    return analyze_reading(read(model, read_document(text.text, corpus["language"]), window=1), Settings())


def pairs_for(claim: str, analysis: Analysis, name: str) -> pd.DataFrame:
    """Some pairs of an analysis for a claim, as a study keeps them. name: of the text."""
    where: Where = (0, 0, 0)
    (window,) = analysis.measured
    kept = merged([candidates(window.pairs, count_window(window).touching, where)])
    told = with_text(kept, {where: window.pairs.passage}, {0: name})
    return examples_of_claim(claim, told, analysis.heads, analysis.layers)
