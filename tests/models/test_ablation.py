"""Heads that are replaced or attend otherwise, against slow references that share no code with the capture path."""

import threading
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor

import attn_core
from attn_core.errors import InputError, ModelError
from attn_core.head import Head, every_head
from attn_core.models import ablation
from attn_core.models.attention import Collection, forward
from attn_core.models.capture import capture, run
from attn_core.models.loading import PROJECTIONS, ablate, load
from attn_core.models.records import LoadedModel
from attn_core.models.removal import Removal, named_heads
from attn_core.texts.documents import read_document
from attn_core.texts.passages import Passage, read_passages
from attn_core.texts.reference_texts import reference_texts
from tests.families import IN_SHORT as TEXT
from tests.families import SERVED, Read, Tiny, by_mechanism

OTHER = "Some say the sea remembers what the land forgets."
every_mechanism = by_mechanism(SERVED)
by_interface = by_mechanism(name for name in SERVED if name not in PROJECTIONS)
by_hook = by_mechanism(PROJECTIONS)


def states(model: LoadedModel, *passages: Passage) -> Tensor:
    """The last states of passages of one length, without any capture."""
    ids = torch.stack([torch.from_numpy(passage.token_ids) for passage in passages])
    with torch.inference_mode(), forward(model.changes):
        extra = {} if model.uses_interface else {"output_attentions": True}
        network: Any = model.network
        return network(input_ids=ids, **extra).last_hidden_state


def collected(model: LoadedModel, passage: Passage) -> tuple[Tensor, Tensor]:
    """Head outputs (layer, head, token, d_head) and the last states, of one pass with captures."""
    ids = torch.from_numpy(passage.token_ids)[None]
    collection = Collection(torch.full(ids.shape, 1 / ids.numel()))
    output = run(model, ids, None, collection)
    return torch.stack(collection.z)[:, 0].transpose(1, 2), output.last_hidden_state


def close(actual: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(actual, expected, rtol=1e-4, atol=2e-5)


@every_mechanism
def test_removing_no_head_changes_nothing_bit_for_bit(family: str, tiny_model: Tiny, read: Read) -> None:
    model = tiny_model(family)
    passage = read(model, TEXT)
    (whole,) = capture(model, [passage])
    for how in ("mean", "zero", "resample"):
        (same,) = capture(ablate(model, (), how), [passage])
        assert torch.equal(same.z, whole.z)
        assert torch.equal(same.received, whole.received)
    assert torch.equal(states(ablate(model, ()), passage), states(model, passage))


@pytest.mark.parametrize("family", ["bert", "gpt2", "llama", "mpnet"])
def test_removing_a_layer_equals_a_network_without_that_attention(
    family: str, tiny_folder: Callable[..., Any], read: Read
) -> None:
    """Brute force on the weights: the slice of the output projection that takes the head's output is 0."""
    model, slow = (load(attn_core.ModelSpec(str(tiny_folder(family)))) for _ in range(2))
    projection = {"bert": "encoder.layer.1.attention.output.dense", "gpt2": "h.1.attn.c_proj"} | {
        "llama": "layers.1.self_attn.o_proj", "mpnet": "encoder.layer.1.attention.attn.o"
    }  # fmt: skip
    module = slow.network.get_submodule(projection[family])
    with torch.no_grad():
        module.weight.zero_()
    passage = read(model, TEXT)
    changed = ablate(model, ["L2"], "zero")
    close(states(changed, passage), states(slow, passage))


@every_mechanism
def test_other_heads_removed_in_other_rows_of_a_batch_are_as_removed_alone(
    family: str, tiny_model: Tiny, read: Read
) -> None:
    model = tiny_model(family)
    passage = read(model, TEXT)
    heads = [(), (Head(0, 1),), (Head(1, 0), Head(2, 3)), tuple(every_head(model.layers, model.heads))]
    alone = [ablate(model, some) for some in heads]
    rows = torch.zeros(len(heads), model.layers, model.heads, dtype=torch.bool)
    for row, some in enumerate(heads):
        for head in some:
            rows[row, head.layer, head.head] = True
    batch = replace(model, changes=ablation.changes_of(model, "mean", rows))
    together = states(batch, *[passage] * len(heads))
    for one, row in zip(alone, together, strict=True):
        close(row, states(one, passage)[0])


@every_mechanism
def test_the_mean_of_the_text_itself_is_a_slow_mean_of_its_head_outputs(
    family: str, tiny_model: Tiny, read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tiny_model(family)
    passage = read(model, TEXT)
    whole, _ = collected(model, passage)
    monkeypatch.setattr(ablation, "reference_texts", lambda: {"own": read_document(TEXT)})
    model = replace(model, network=deepcopy(model.network))  # values are kept for each network
    changed, _ = collected(ablate(model, (Head(1, 2),)), passage)
    slow = sum(whole[1, 2, token] for token in range(len(passage))) / len(passage)
    close(changed[1, 2], slow.expand(len(passage), -1))
    others = [h for h in range(model.heads) if h != 2]
    assert torch.equal(changed[0], whole[0])
    assert torch.equal(changed[1, others], whole[1, others])


def test_resampling_gives_a_head_what_it_puts_out_on_another_text(tiny_model: Tiny, read: Read) -> None:
    model = tiny_model("bert")
    other = read_passages(reference_texts()["long_story.txt"], model.tokenizer, model.max_tokens)[0]
    passage = read(model, TEXT)
    changed, _ = collected(ablate(model, (Head(0, 3),), "resample"), passage)
    theirs, _ = collected(model, other)
    at = [token % len(other) for token in range(len(passage))]
    close(changed[0, 3], theirs[0, 3, at])


@by_interface
def test_even_is_the_mean_of_the_values_that_a_token_may_see(family: str, tiny_model: Tiny, read: Read) -> None:
    """Over maps: the weights of a changed head are the same for all that are not 0."""
    model = tiny_model(family)
    passages = [read(model, TEXT), read(model, OTHER)]
    changed = ablate(model, (Head(0, 1),), "even")
    for states_seen, whole in zip(
        capture(changed, passages, keep_maps=True), capture(model, passages, keep_maps=True), strict=True
    ):
        seen = whole.attention[0, 1] > 0
        close(states_seen.attention[0, 1], seen / seen.sum(dim=1, keepdim=True))
        close(states_seen.attention[0, 0], whole.attention[0, 0])


@by_hook
def test_attention_that_a_family_keeps_to_itself_cannot_be_changed(family: str, tiny_model: Tiny) -> None:
    with pytest.raises(ModelError, match="cannot attend evenly: replace them by mean, zero or resample"):
        ablate(tiny_model(family), (Head(0, 0),), "even")


@pytest.mark.parametrize("family", ["bert", "deberta-v2"])
def test_threads_that_share_a_network_get_captures_without_their_own_heads(
    family: str, tiny_model: Tiny, read: Read
) -> None:
    model = tiny_model(family)
    passage = read(model, TEXT)
    models = [ablate(model, (head,), "zero") for head in every_head(model.layers, model.heads)[:4]]
    expected = [capture(one, [passage])[0].z for one in models]
    wrong: list[bool] = []

    def read_often(one: LoadedModel, z: Tensor) -> None:
        wrong.extend(not torch.equal(capture(one, [passage])[0].z, z) for _ in range(20))

    threads = [threading.Thread(target=read_often, args=pair) for pair in zip(models, expected, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(wrong) == 80
    assert not any(wrong)


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


def test_a_spec_with_an_ablation_loads_the_model_without_the_heads(tiny_folder: Callable[..., Any], read: Read) -> None:
    spec = attn_core.ModelSpec(str(tiny_folder("bert")))
    wanted = Removal((Head(1, 1),), "zero")
    changed = load(replace(spec, ablation=wanted))
    assert changed.spec.ablation == wanted == ablate(spec, ["L2H2"], "zero").spec.ablation
    z, _ = collected(changed, read(changed, TEXT))
    assert not z[1, 1].any()


@pytest.mark.parametrize(
    ("names", "heads"),
    [(["L2H1"], [(1, 0)]), (["l2"], [(1, 0), (1, 1)]), (["H2"], [(0, 1), (1, 1)]), ([(0, 1), "L1H2"], [(0, 1)])],
)
def test_heads_are_named_one_by_one_by_layer_and_through_all_layers(names: list[Any], heads: list[Any]) -> None:
    assert named_heads(names, 2, 2) == tuple(Head(*head) for head in heads)


BAD: dict[str, tuple[Callable[[LoadedModel], object], str]] = {
    "a name alone": (lambda model: ablate(model, "L1"), "Heads come as a list of names"),
    "another value": (lambda model: ablate(model, ["L1"], "median"), "mean, zero, resample or even"),  # type: ignore[arg-type]
    "twice": (lambda model: ablate(ablate(model, ["L1"]), ["L2"]), "lacks heads already: remove all of them at once"),
}  # fmt: skip


@pytest.mark.parametrize("bad", BAD)
def test_what_cannot_be_removed_is_refused_in_one_sentence(bad: str, tiny_model: Tiny) -> None:
    ask, says = BAD[bad]
    with pytest.raises(InputError, match=says) as refused:
        ask(tiny_model("bert"))
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize("name", ["L3H1", "L1H0", "", "H", "head", "L" + "9" * 5000, (5, 0)])
def test_a_head_that_is_not_there_is_refused_with_those_that_are(name: Any) -> None:
    with pytest.raises(InputError, match="its heads are L1H1 to L2H2, its layers L1 to L2") as refused:
        named_heads([name], 2, 2)
    assert len(str(refused.value)) < 200
