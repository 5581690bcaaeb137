"""Effects of removing heads, one by one and estimated, against the same removals done alone."""

from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import spearmanr

from attn_core.errors import InputError, ModelError
from attn_core.head import Head, every_head
from attn_core.interventions import effects
from attn_core.interventions.effects import effects_of, estimated_importance
from attn_core.models import ablation
from attn_core.models.capture import capture, last_states
from attn_core.models.loading import ablate
from attn_core.models.records import LoadedModel
from attn_core.texts.passages import Passage
from tests.families import IN_SHORT as TEXT
from tests.families import MECHANISMS, SERVED, Read, Tiny
from tests.quick import quick_only


@pytest.mark.parametrize("how", ["mean", "zero", "resample", "even"])
def test_an_effect_is_one_minus_the_cosine_of_what_is_left_and_what_was(how: str, tiny_model: Tiny, read: Read) -> None:
    model = tiny_model("bert")
    passage = read(model, TEXT)
    removals = [[], [Head(0, 1)], every_head(model.layers, model.heads), [Head(2, 0), Head(1, 3)]]
    found = effects_of(model, passage, removals, how)
    whole = last_states(model, [passage])[0].double()
    for row, removal in enumerate(removals):
        left = last_states(ablate(model, removal, how), [passage])[0].double()
        for effect, a, b in (
            (found.embedding[row], whole.mean(dim=0), left.mean(dim=0)),
            *((found.tokens[row, n], whole[n], left[n]) for n in range(len(passage))),
        ):
            assert effect == pytest.approx(float(1 - a @ b / a.norm() / b.norm()), abs=1e-5)
    assert found.embedding[0] == pytest.approx(0, abs=1e-12) and (found.embedding[1:] > 1e-6).all()


def measured_importance(model: LoadedModel, passage: Passage) -> np.ndarray:
    """Effect on the sentence embedding of removing each head alone, (layer, head)."""
    alone = [[head] for head in every_head(model.layers, model.heads)]
    return effects_of(model, passage, alone).embedding.reshape(model.layers, model.heads)


@pytest.mark.parametrize(
    "family", quick_only([name for name in SERVED if name in MECHANISMS and name != "gemma2"], "bert", "llama")
)
def test_the_estimate_is_the_square_of_a_small_step(
    family: str, tiny_model: Tiny, read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where outputs move by little the estimate must meet the measured effect, whatever the route to the heads.

    The step is made small by a reference close to the head's own outputs: itself, moved by a little towards the mean.
    """
    known = tiny_model(family)
    passage = read(known, TEXT)
    own = replace(known, network=deepcopy(known.network))  # what is kept of it is kept of this one alone
    (output,) = capture(own, [passage])
    ablation._values.setdefault(own.network, {})["mean"] = 0.98 * output.z
    measured = measured_importance(own, passage)
    monkeypatch.setattr(effects, "DIRECTIONS", 400)
    estimated = estimated_importance(own, passage)
    assert spearmanr(measured.ravel(), estimated.ravel()).statistic > 0.9
    assert np.median(estimated / measured) == pytest.approx(1, abs=0.25)


def test_no_estimate_of_what_changes_attention_and_none_without_gradients(tiny_model: Tiny, read: Read) -> None:
    model, capped = tiny_model("bert"), tiny_model("gemma2")
    with pytest.raises(InputError, match="is measured, not estimated"):
        estimated_importance(model, read(model, TEXT), "even")
    with pytest.raises(ModelError, match="has no gradients"):
        estimated_importance(capped, read(capped, TEXT))
