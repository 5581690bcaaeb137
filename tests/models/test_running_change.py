"""Heads that are replaced or attend otherwise, against slow references that share no code with the capture path."""

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import attn_core
from attn_core.errors import InputError, ModelError
from attn_core.head import Head, every_head
from attn_core.models.attention import Collection
from attn_core.models.capture import capture, run
from attn_core.models.intervened import intervened, mean_outputs
from attn_core.models.intervention import Intervention, named_heads
from attn_core.models.loading import PROJECTIONS, load
from attn_core.models.records import LoadedModel
from attn_core.models.running_change import changing
from attn_core.models.without import without
from attn_core.texts.passages import Passage
from tests.families import IN_SHORT as TEXT
from tests.families import SERVED, Read, Tiny, by_mechanism

OTHER = "Some say the sea remembers what the land forgets."
every_mechanism = by_mechanism(SERVED)
by_interface = by_mechanism(name for name in SERVED if name not in PROJECTIONS)
by_hook = by_mechanism(PROJECTIONS)


def states(model: LoadedModel, *passages: Passage) -> Tensor:
    """The last states of passages of one length, without any capture."""
    ids = torch.stack([torch.from_numpy(passage.token_ids) for passage in passages])
    with torch.inference_mode(), changing(model.change):
        extra = {} if model.uses_interface else {"output_attentions": True}
        network: Any = model.network
        return network(input_ids=ids, **extra).last_hidden_state


def collected(model: LoadedModel, passage: Passage) -> tuple[Tensor, Tensor]:
    """Head outputs (layer, head, token, d_head) and the last states, of one pass with captures."""
    ids = torch.from_numpy(passage.token_ids)[None]
    collection = Collection(torch.full(ids.shape, 1 / ids.numel()), keep_maps=False)
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
        (same,) = capture(intervened(model, Intervention((), how)), [passage])
        assert torch.equal(same.z, whole.z)
        assert torch.equal(same.received, whole.received)
    assert torch.equal(states(intervened(model, Intervention(())), passage), states(model, passage))


@every_mechanism
def test_without_all_heads_of_a_layer_its_projection_is_given_nothing(
    family: str, tiny_model: Tiny, read: Read
) -> None:
    """Brute force: the network with the columns of that output projection set to 0."""
    model = tiny_model(family)
    passage = read(model, TEXT)
    width = model.check.captures[2] * model.heads
    changed = intervened(model, Intervention(named_heads(["L2"], model.layers, model.heads), "zero"))
    changed_states = states(changed, passage)
    seen: list[Tensor] = []
    network: Any = model.network
    handles = [
        module.register_forward_pre_hook(lambda _module, inputs: seen.append(inputs[0]))
        for module in network.modules()
        if getattr(getattr(module, "weight", None), "ndim", 0) == 2 and not isinstance(module, nn.Embedding)
    ]
    z, _ = collected(changed, passage)
    for handle in handles:
        handle.remove()
    assert torch.equal(z[1], torch.zeros_like(z[1]))
    given = [x for x in seen if x.shape[-1] == width and x.shape[:2] == (1, len(passage)) and not x.any()]
    assert given, "no projection was given zeros"
    assert not torch.allclose(changed_states, states(model, passage), atol=1e-3)


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
    changed = intervened(model, Intervention(named_heads(["L2"], model.layers, model.heads), "zero"))
    close(states(changed, passage), states(slow, passage))


@every_mechanism
def test_other_heads_removed_in_other_rows_of_a_batch_are_as_removed_alone(
    family: str, tiny_model: Tiny, read: Read
) -> None:
    model = tiny_model(family)
    passage = read(model, TEXT)
    heads = [(), (Head(0, 1),), (Head(1, 0), Head(2, 3)), tuple(every_head(model.layers, model.heads))]
    alone = [intervened(model, Intervention(some)) for some in heads]
    rows = torch.cat([one.change.heads for one in alone])
    batch = replace(model, change=alone[0].change.in_rows(rows))
    together = states(batch, *[passage] * len(heads))
    for one, row in zip(alone, together, strict=True):
        close(row, states(one, passage)[0])


@every_mechanism
def test_the_mean_of_the_text_itself_is_a_slow_mean_of_its_head_outputs(
    family: str, tiny_model: Tiny, read: Read
) -> None:
    model = tiny_model(family)
    passage = read(model, TEXT)
    whole, _ = collected(model, passage)
    changed, _ = collected(intervened(model, Intervention((Head(1, 2),), "mean", texts=(TEXT,))), passage)
    slow = sum(whole[1, 2, token] for token in range(len(passage))) / len(passage)
    close(changed[1, 2], slow.expand(len(passage), -1))
    others = [h for h in range(model.heads) if h != 2]
    assert torch.equal(changed[0], whole[0])
    assert torch.equal(changed[1, others], whole[1, others])


def test_resampling_gives_a_head_what_it_puts_out_on_another_text(tiny_model: Tiny, read: Read) -> None:
    model = tiny_model("bert")
    passage, other = read(model, TEXT), read(model, OTHER)
    changed, _ = collected(intervened(model, Intervention((Head(0, 3),), "resample", texts=(OTHER,))), passage)
    theirs, _ = collected(model, other)
    at = [token % len(other) for token in range(len(passage))]
    close(changed[0, 3], theirs[0, 3, at])


@by_interface
def test_even_is_the_mean_of_the_values_that_a_token_may_see(family: str, tiny_model: Tiny, read: Read) -> None:
    """Over maps: the weights of a changed head are the same for all that are not 0."""
    model = tiny_model(family)
    passages = [read(model, TEXT), read(model, OTHER)]
    changed = intervened(model, Intervention((Head(0, 1),), "even"))
    for states_seen, whole in zip(
        capture(changed, passages, keep_maps=True), capture(model, passages, keep_maps=True), strict=True
    ):
        seen = whole.attention[0, 1] > 0
        close(states_seen.attention[0, 1], seen / seen.sum(dim=1, keepdim=True))
        close(states_seen.attention[0, 0], whole.attention[0, 0])


@by_hook
def test_attention_that_a_family_keeps_to_itself_cannot_be_changed(family: str, tiny_model: Tiny) -> None:
    with pytest.raises(ModelError, match="keeps it to itself: replace its heads by mean, zero or resample"):
        intervened(tiny_model(family), Intervention((Head(0, 0),), "even"))


def test_within_the_block_whatever_reads_with_the_model_reads_without_the_heads(tiny_model: Tiny) -> None:
    model = tiny_model("bert")
    whole = attn_core.analyze(TEXT, model)
    with without(model, ["L1H2", "L3"]) as changed:
        inside = attn_core.analyze(TEXT, model)
    after = attn_core.analyze(TEXT, model)
    assert whole.heads.equals(after.heads)
    assert inside.heads.equals(attn_core.analyze(TEXT, changed).heads)
    assert not inside.heads["mean_distance"].equals(whole.heads["mean_distance"])
    assert inside.reading.model.spec.intervention.heads == named_heads(["L1H2", "L3"], 3, 4)
    assert "without L1H2, L3H1, L3H2, L3H3, L3H4 (mean of the English sample texts)" in inside.provenance["model"]
    assert inside.provenance["model"] != whole.provenance["model"]


def test_blocks_do_not_add_up_and_reference_texts_are_read_by_the_whole_model(tiny_model: Tiny) -> None:
    model = tiny_model("bert")
    expected = mean_outputs(model, ["The rope was wet; the rope held."])
    with without(model, ["L1"], "zero"), without(model, ["L2H1"], texts=["The rope was wet; the rope held."]) as inner:
        assert inner.spec.intervention.heads == (Head(1, 0),)
        assert torch.equal(inner.change.values[:, :, 0], expected)


def test_a_thread_beside_the_block_reads_the_whole_model(tiny_model: Tiny, read: Read) -> None:
    model = tiny_model("gpt2")
    passage = read(model, TEXT)
    (whole,) = capture(model, [passage])
    beside: list[Any] = []
    with without(model, ["L1"]):
        thread = threading.Thread(target=lambda: beside.extend(capture(model, [passage])))
        thread.start()
        thread.join()
        (changed,) = capture(model, [passage])
    assert torch.equal(beside[0].z, whole.z)
    assert not torch.equal(changed.z, whole.z)


def test_two_threads_with_other_heads_removed_do_not_see_each_other(tiny_model: Tiny, read: Read) -> None:
    model = tiny_model("bert")
    passage = read(model, TEXT)
    models = [intervened(model, Intervention((head,), "zero")) for head in every_head(model.layers, model.heads)[:4]]
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


def test_a_spec_with_an_intervention_loads_the_model_under_it(tiny_folder: Callable[..., Any], read: Read) -> None:
    spec = attn_core.ModelSpec(str(tiny_folder("bert")))
    wanted = Intervention((Head(1, 1),), "zero")
    changed = load(replace(spec, intervention=wanted))
    assert changed.spec.intervention == wanted
    z, _ = collected(changed, read(changed, TEXT))
    assert not z[1, 1].any()


@pytest.mark.parametrize(
    ("names", "heads"),
    [(["L2H1"], [(1, 0)]), (["l2"], [(1, 0), (1, 1)]), (["H2"], [(0, 1), (1, 1)]), ([(0, 1), "L1H2"], [(0, 1)])],
)
def test_heads_are_named_one_by_one_by_layer_and_through_all_layers(names: list[Any], heads: list[Any]) -> None:
    assert named_heads(names, 2, 2) == tuple(Head(*head) for head in heads)


@pytest.mark.parametrize("name", ["L3H1", "L1H0", "L0", "", "H", "LH", "L1H1H1", "head", "L" + "9" * 5000, (5, 0)])
def test_a_head_that_is_not_there_is_refused_with_those_that_are(name: Any) -> None:
    with pytest.raises(InputError, match="its heads are L1H1 to L2H2, its layers L1 to L2") as refused:
        named_heads([name], 2, 2)
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize(
    ("options", "sentence"),
    [({"replace": "median"}, "mean, zero, resample or even"), ({"replace": "zero", "texts": ("a",)}, "takes no texts")],
)
def test_what_is_no_intervention_is_refused(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        Intervention((Head(0, 0),), **options)
