"""Tokens of the reference texts as a model reads them."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from attn_core.analysis.one_text import analyze
from attn_core.analysis.reading import read as read_text
from attn_core.analysis.references import NOT_APPLICABLE, read_references
from attn_core.models.head_outputs import as_array
from attn_core.models.records import LoadedModel
from attn_core.similarity.context_similarity import as_measured
from attn_core.similarity.selection import as_tensor
from attn_core.similarity.strong_pairs import MEASURES
from attn_core.similarity.words import UNITS
from attn_core.texts.documents import read_document
from attn_core.texts.reference_texts import REFERENCES, reference_texts
from tests.families import TEXT


@pytest.mark.parametrize("unit", UNITS)
def test_12_tokens_of_the_first_window_of_each_are_kept_special_ones_aside(
    unit, tiny_model: Callable[[str], LoadedModel]
) -> None:
    model, document = tiny_model("bert"), read_document(TEXT)
    kept = read_references(model, document, "plain", unit)
    assert len(kept) >= 10 and kept.keys() <= {*REFERENCES}  # the tiny vocabulary knows too few words of the others
    for name in [*kept][:3]:
        window = read_text(model, reference_texts()[name], window=1, unit=unit)
        (passage,), (output,) = window.passages, window.outputs
        able = np.flatnonzero(~passage.is_special)
        some = [able[at * len(able) // 12] for at in range(12)]
        for measure in MEASURES:
            z = as_array(as_measured(as_tensor(output.z), measure))
            np.testing.assert_allclose(kept[name][measure], z[:, :, some], rtol=1e-4, atol=1e-6)


def test_a_text_that_is_a_reference_is_not_compared_with_itself(tiny_model: Callable[[str], LoadedModel]) -> None:
    model = tiny_model("bert")
    kept = read_references(model, read_document("Another text."), "plain")
    name = next(iter(kept))
    assert read_references(model, reference_texts()[name], "plain").keys() == kept.keys() - {name}


def test_they_are_shuffled_beside_a_shuffled_text(tiny_model: Callable[[str], LoadedModel]) -> None:
    plain, shuffled = (
        read_references(tiny_model("bert"), read_document("A text."), how) for how in ("plain", "shuffled")
    )
    assert all((plain[file]["dot"] != shuffled[file]["dot"]).any() for file in plain)


def test_what_cannot_be_asked_is_no_number_and_says_why(monkeypatch, tiny_model: Callable[[str], LoadedModel]) -> None:
    analysis = analyze(TEXT, tiny_model("bert"))
    assert analysis.provenance["reference_texts"] == ", ".join(analysis.reading.references) != ""
    assert analysis.heads["noise_rate"].notna().all()
    monkeypatch.setattr("attn_core.analysis.references.UNKNOWN", -1.0)
    none = analyze(TEXT, replace(tiny_model("bert")))
    assert none.provenance["reference_texts"] == NOT_APPLICABLE
    assert none.heads[["noise_rate", "snr_db"]].isna().all(axis=None) and none.layers["noise_rate"].isna().all()
    unchanged = [name for name in none.heads if "noise" not in name and "snr" not in name and name != "cluster"]
    pd.testing.assert_frame_equal(none.heads[unchanged], analysis.heads[unchanged])
