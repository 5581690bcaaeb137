"""Heads that are replaced or attend evenly, compared with slow references that share no code with the capture."""

from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor

import attn_core
from attn_core.errors import InputError
from attn_core.head import Head, every_head
from attn_core.interventions.effects import effects_of, embeddings_of, estimated_importance
from attn_core.models import ablation
from attn_core.models.capture import capture, last_states
from attn_core.models.families import FAMILIES
from attn_core.models.files import ModelSpec
from attn_core.models.loading import ablate, load
from attn_core.models.records import LoadedModel
from attn_core.models.removal import Removal, named_heads
from attn_core.texts.documents import read_document
from attn_core.texts.passages import Passage, read_passages
from attn_core.texts.reference_texts import joined_references
from tests.families import IN_SHORT as TEXT
from tests.families import SERVED, Read, Tiny, by_mechanism

NO_HEADS = ("L4H1", "L1H0", "", "H", "head", "L" + "9" * 5000, (5, 0))
OTHER = "Some say the sea remembers what the land forgets."
every_mechanism = by_mechanism(SERVED)
by_interface = by_mechanism(name for name in SERVED if name not in FAMILIES)


def outputs(model: LoadedModel, passage: Passage) -> Tensor:
    """Head outputs (layer, head, token, d_head)."""
    return capture(model, [passage])[0].z


def close(actual: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(actual, expected, rtol=1e-4, atol=2e-5)


@every_mechanism
def test_removing_no_head_changes_nothing_bit_for_bit(family: str, tiny_model: Tiny, read: Read) -> None:
    model = tiny_model(family)
    passage = read(model, TEXT)
    (whole,), (same,) = capture(model, [passage]), capture(ablate(model, (), "zero"), [passage])
    assert torch.equal(same.z, whole.z) and torch.equal(same.received, whole.received)
    assert torch.equal(last_states(ablate(model, ()), [passage]), last_states(model, [passage]))


@every_mechanism
def test_other_heads_removed_in_other_rows_of_a_batch_are_as_removed_alone(
    family: str, tiny_model: Tiny, read: Read
) -> None:
    model = tiny_model(family)
    passage = read(model, TEXT)
    heads = [(), (Head(0, 1),), (Head(1, 0), Head(2, 3)), tuple(every_head(model.layers, model.heads))]
    alone = [ablate(model, some) for some in heads]
    batch = replace(model, changes=ablation.changes_of(model, "mean", heads))
    together = last_states(batch, [passage] * len(heads))
    for one, row in zip(alone, together, strict=True):
        close(row, last_states(one, [passage])[0])


@every_mechanism
def test_the_mean_of_the_text_itself_is_a_slow_mean_of_its_head_outputs(
    family: str, tiny_model: Tiny, read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tiny_model(family)
    passage = read(model, TEXT)
    whole = outputs(model, passage)
    monkeypatch.setattr(ablation, "reference_texts", lambda: {"own": read_document(TEXT)})
    model = replace(model, network=deepcopy(model.network))  # values are kept for each network
    changed = outputs(ablate(model, (Head(1, 2),)), passage)
    slow = sum(whole[1, 2, token] for token in range(len(passage))) / len(passage)
    close(changed[1, 2], slow.expand(len(passage), -1))
    others = [h for h in range(model.heads) if h != 2]
    assert torch.equal(changed[0], whole[0])
    assert torch.equal(changed[1, others], whole[1, others])


@pytest.mark.parametrize("how", ["mean", "resample"])
def test_replacements_are_those_of_the_whole_model_whoever_asks_first(how: Any, tiny_model: Tiny) -> None:
    model = tiny_model("bert")
    expected = ablation.replacements(replace(model, network=deepcopy(model.network)), how)
    changed = ablate(replace(model, network=deepcopy(model.network)), ["L1", "L2H1"], "zero")
    torch.testing.assert_close(ablation.replacements(changed, how), expected, rtol=0, atol=0)


def test_effects_are_those_of_removing_heads_from_a_whole_model(tiny_model: Tiny, read: Read) -> None:
    model = tiny_model("bert")
    passage, changed = read(model, TEXT), ablate(model, ["L1"], "zero")
    for effect in (
        lambda: effects_of(changed, passage, [(Head(2, 3),)]),
        lambda: embeddings_of(changed, passage, [()]),
        lambda: estimated_importance(changed, passage),
    ):
        with pytest.raises(InputError, match="^This model lacks heads already: "):
            effect()


@every_mechanism
def test_a_network_in_training_mode_is_refused(family: str, tiny_model: Tiny, read: Read) -> None:
    model = tiny_model(family)
    model = replace(model, network=deepcopy(model.network))
    list(model.network.modules())[-1].train()
    for action in (lambda: outputs(model, read(model, TEXT)), lambda: last_states(model, [read(model, TEXT)])):
        with pytest.raises(
            InputError, match=r"is in training mode, where dropout is random: call its network's eval\(\)\.$"
        ):
            action()


def test_resampling_gives_a_head_what_it_puts_out_on_another_text(tiny_model: Tiny, read: Read) -> None:
    model = tiny_model("bert")
    other = read_passages(joined_references(), model.tokenizer, model.max_tokens)[0]
    passage = read(model, TEXT)
    changed = outputs(ablate(model, (Head(0, 3),), "resample"), passage)
    theirs = outputs(model, other)
    at = [token % len(other) for token in range(len(passage))]
    close(changed[0, 3], theirs[0, 3, at])


@by_interface
def test_even_is_the_mean_of_the_values_that_a_token_may_see(family: str, tiny_model: Tiny, read: Read) -> None:
    """Over maps: the weights of a changed head are the same for all that are not 0."""
    model = tiny_model(family)
    passages = [read(model, TEXT), read(model, OTHER)]
    changed = ablate(model, (Head(0, 1),), "even")
    both = (capture(one, passages, keep_maps=True) for one in (changed, model))
    for even, whole in zip(*both, strict=True):
        seen = whole.attention[0, 1] > 0
        close(even.attention[0, 1], seen / seen.sum(dim=1, keepdim=True))
        close(even.attention[0, 0], whole.attention[0, 0])


@pytest.mark.parametrize("family", ["bert", "deberta-v2"])
def test_threads_that_share_a_network_get_captures_without_their_own_heads(
    family: str, tiny_model: Tiny, read: Read
) -> None:
    model = tiny_model(family)
    passage = read(model, TEXT)
    models = [ablate(model, (head,), "zero") for head in every_head(model.layers, model.heads)[:4]]
    expected = [outputs(one, passage) for one in models]
    with ThreadPoolExecutor(len(models)) as threads:
        found = list(threads.map(lambda one: outputs(one, passage), models * 5))
    assert all(map(torch.equal, found, expected * 5))


def test_an_ablated_model_is_read_like_any_other_and_says_so_as_data(tiny_model: Tiny) -> None:
    model = tiny_model("bert")
    whole = attn_core.analyze(TEXT, model)
    changed = attn_core.analyze(TEXT, ablate(model, ["L1H2", "L3"]))
    assert attn_core.analyze(TEXT, model).heads.equals(whole.heads)
    assert not changed.heads["mean_distance"].equals(whole.heads["mean_distance"])
    assert changed.provenance["model"] == f"{whole.provenance['model']}, without L1H2, L3H1, L3H2, L3H3, L3H4 (mean)"
    assert changed.provenance["ablation"] == {"heads": ["L1H2", "L3H1", "L3H2", "L3H3", "L3H4"], "replace": "mean"}
    assert "ablation" not in whole.provenance
    assert changed.reading.model.network is model.network


def test_a_spec_with_an_ablation_loads_the_model_without_the_heads(tiny: ModelSpec, read: Read) -> None:
    wanted = Removal((Head(1, 1),), "zero")
    changed = load(replace(tiny, ablation=wanted))
    assert changed.spec.ablation == wanted == ablate(tiny, ["L2H2"], "zero").spec.ablation
    z = outputs(changed, read(changed, TEXT))
    assert not z[1, 1].any()


@pytest.mark.parametrize(
    ("names", "heads"),
    [(["L2H1"], [(1, 0)]), (["l2"], [(1, 0), (1, 1)]), (["H2"], [(0, 1), (1, 1)]), ([(0, 1), "L1H2"], [(0, 1)])],
)
def test_heads_are_named_one_by_one_by_layer_and_through_all_layers(names: list[Any], heads: list[Any]) -> None:
    assert named_heads(names, 2, 2) == tuple(Head(*head) for head in heads)


@pytest.mark.parametrize(
    ("family", "heads", "replace", "says"),
    [
        ("bert", "L1", "zero", "Heads come as a list of names"),
        ("bert", ["L1"], "median", "mean, zero, resample or even"),
        *((family, [(0, 0)], "even", "cannot attend evenly: replace them by mean, zero or") for family in FAMILIES),
        *(("bert", [name], "zero", "its heads are L1H1 to L3H4, its layers L1 to L3") for name in NO_HEADS),
    ],
)
def test_a_removal_that_cannot_be_is_refused(
    family: str, heads: Any, replace: Any, says: str, tiny_model: Tiny
) -> None:
    with pytest.raises(InputError, match=says) as refused:
        ablate(tiny_model(family), heads, replace)
    assert len(str(refused.value)) < 200
    with pytest.raises(InputError, match="lacks heads already: remove all of them at once"):
        ablate(ablate(tiny_model(family), ["L1"]), ["L2"])
