"""Why tokens are alike, from transformers' own attention weights and values, pair by pair and token by token."""

import random
from collections import defaultdict
from collections.abc import Callable
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from transformers import AutoModel

from attn_core.analysis.one_text import analyze_reading
from attn_core.analysis.reading import Reading, read
from attn_core.errors import InputError
from attn_core.head import Head
from attn_core.measures.sources import LISTED, count_sources, source_table
from attn_core.models.files import Stack
from attn_core.models.loading import ablate
from attn_core.models.records import LoadedModel
from attn_core.similarity import contributions
from attn_core.similarity.context_similarity import context_similarity
from attn_core.similarity.strong_pairs import MEASURES, Settings
from attn_core.similarity.words import Unit, find_words, passage_of_words, readable
from attn_core.texts.documents import read_document
from attn_core.texts.passages import Passage
from tests.analysis.test_one_text import LONG
from tests.families import IN_SHORT, Folder, Stacks, Tiny
from tests.measures.made_up import made_passage

# A family with each kind of attention: in both directions, causal in groups of heads, over the encoder's states, and
# read by hooks.
VALUES: dict[tuple[str, Stack], str] = {
    ("bert", "encoder"): "self.value", ("llama", "encoder"): "v_proj", ("t5", "cross"): "EncDecAttention.v",
    ("gpt_neo", "encoder"): "v_proj",
}  # fmt: skip
CASES = list(VALUES)


class Given(NamedTuple):
    """What transformers computes of a window: attention (layer, head, unit, token) and values (layer, head, token, d).

    of_token: the id of the source that each token belongs to.
    """

    rows: np.ndarray
    values: np.ndarray
    of_token: np.ndarray


@pytest.fixture(scope="module")
def model_of(tiny_model: Tiny, stack_of: Stacks) -> Callable[[tuple[str, Stack]], LoadedModel]:
    return lambda case: tiny_model(case[0]) if case[1] == "encoder" else stack_of(*case)


@pytest.fixture(scope="module")
def given(tiny_folder: Folder, stacks_folder: Folder) -> Callable[..., Given]:
    @torch.inference_mode()
    def of(case: tuple[str, Stack], passage: Passage, unit: Unit) -> Given:
        folder = (tiny_folder if case[1] == "encoder" else stacks_folder)(case[0])
        network, made = AutoModel.from_pretrained(folder, attn_implementation="eager").eval(), list[torch.Tensor]()
        for name, module in network.named_modules():
            if name.endswith(VALUES[case]):
                module.register_forward_hook(lambda _m, _given, output: made.append(output[0]))
        ids, asked = torch.from_numpy(passage.token_ids)[None], {"output_attentions": True, "use_cache": False}
        if case[1] == "encoder":
            maps = torch.cat(network(input_ids=ids, output_attentions=True).attentions)
        else:  # the decoder's first token is none of the encoder's
            maps = torch.cat(network(input_ids=ids[:, 1:], decoder_input_ids=ids, **asked).cross_attentions)
            maps, made = torch.nn.functional.pad(maps, (1, 0)), [torch.nn.functional.pad(v, (0, 0, 1, 0)) for v in made]
        values = torch.stack([v.unflatten(-1, (-1, 8)).transpose(0, 1) for v in made])
        values = values.repeat_interleave(maps.shape[1] // values.shape[1], dim=1)
        rows, of_token = maps.double().numpy(), passage.token_ids.copy()
        if unit == "words":
            words = find_words(passage)
            rows = np.stack([rows[:, :, words.tokens[words.words == one]].mean(axis=2) for one in range(len(words))], 2)
            of_token[words.tokens] = passage_of_words(passage, words).token_ids[words.words]
        return Given(rows, values.double().numpy(), of_token)

    return of


def parts_of(a: np.ndarray, v: np.ndarray, measure: str) -> np.ndarray:
    """s_k of every pair, (unit, unit, token). a: (unit, token)."""
    a = a - a.mean(axis=0) if measure == "centred" else a
    z = a @ v
    one = a[:, None] * (z @ v.T)  # a_ik v_k . z_j
    lengths = np.linalg.norm(z, axis=1)
    return (one + one.swapaxes(0, 1)) / 2 / (1 if measure == "dot" else np.outer(lengths, lengths)[..., None])


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("unit", ["tokens", "words"])
@pytest.mark.parametrize("case", CASES)
def test_an_explanation_is_that_of_eager_attention(
    case: Any, unit: Unit, measure: Any, model_of: Any, given: Any
) -> None:
    reading = read(model_of(case), read_document(IN_SHORT), unit=unit)
    analysis, eager = analyze_reading(reading, Settings(measure, 0.2), references={}), given(
        case, reading.token_passages[0], unit
    )  # fmt: skip
    units = readable(reading.token_passages[0], unit)
    for head, (i, j) in (((0, 1), (2, 5)), ((1, 0), (9, 3))):
        why = analysis.explain(head, i, j)
        a, v = eager.rows[head], eager.values[head]
        expected = parts_of(a, v, measure)[i, j]
        assert why.tokens["contribution"].to_numpy() == pytest.approx(units.total(expected), rel=1e-4, abs=5e-5)
        assert why.tokens["first_attention"].to_numpy() == pytest.approx(units.total(a[i]), abs=1e-5)
        assert why.tokens["second_attention"].to_numpy() == pytest.approx(units.total(a[j]), abs=1e-5)
        similarity = analysis.similarity(head)
        assert similarity[i, j] == pytest.approx(why.similarity, abs=1e-4)
        assert why.tokens["contribution"].sum() == pytest.approx(why.similarity, abs=1e-9)
        assert why.common == pytest.approx(similarity[np.triu_indices(len(similarity), 1)].mean(), abs=1e-4)
        at = why.tokens["position"].tolist()
        assert why.attention == (
            why.tokens["first_attention"][at.index(j)], why.tokens["second_attention"][at.index(i)]
        )  # fmt: skip
        if unit == "tokens" and measure == "dot":
            same = (a[i] * a[j] * np.square(v).sum(axis=1)).sum()
            assert why.same_source == pytest.approx(same, abs=1e-4)
            for k in (1, j):  # without what token k gives to every token
                without = a @ v - np.outer(a[:, k], v[k])
                fall = 2 * why.tokens["contribution"][k] - a[i, k] * a[j, k] * v[k] @ v[k]
                assert why.similarity - without[i] @ without[j] == pytest.approx(fall, abs=1e-4)


def two_windows(model: LoadedModel, unit: Unit) -> Reading:
    reading = read(model, read_document(LONG[:700]), unit=unit)
    assert len(reading.passages) > 1 or model.max_tokens > 96
    return reading


@pytest.mark.parametrize("measure", ["dot", "cosine"])
@pytest.mark.parametrize(("unit", "special"), [("tokens", True), ("tokens", False), ("words", True)])
@pytest.mark.parametrize("case", CASES)
def test_sources_are_those_of_loops_over_pairs(
    case: Any, unit: Unit, special: bool, measure: Any, model_of: Any, given: Any
) -> None:
    reading = two_windows(model_of(case), unit)
    analysis = analyze_reading(reading, Settings(measure, 0.03, special), references={})
    head = random.Random(f"{case} {unit}").choice([(0, 1), (1, 0), (1, 1)])
    found: dict[int, np.ndarray] = defaultdict(lambda: np.zeros(2))  # of strong pairs, of as many average pairs
    for passage, window in zip(reading.token_passages, analysis.windows, strict=True):
        eager = given(case, passage, unit)
        parts = parts_of(eager.rows[head], eager.values[head], measure)
        strong = parts[window.first[head], window.second[head]].sum(axis=0)
        every = parts[window.all_pairs].mean(axis=0) * window.shape[2]
        for name, *both in zip(eager.of_token.tolist(), strong, every, strict=True):
            found[name] += both
    total, average = np.sum(list(found.values()), axis=0)
    row = Head(*head).rows_of(analysis.statistics).iloc[0]  # chances add up to the common share
    assert (row["common_share"], row["chance_common_share"]) == (pytest.approx(average / total, abs=1e-4), 1)
    rows = analysis.sources[(analysis.sources["layer"] == head[0] + 1) & (analysis.sources["head"] == head[1] + 1)]
    expected = np.array([found[one] for one in rows["token_id"]]) / total
    assert rows[["share", "chance_share"]].to_numpy() == pytest.approx(expected, abs=1e-4)
    excess = sorted(((strong - every) / total for strong, every in found.values()), reverse=True)
    assert (rows["share"] - rows["chance_share"]).tolist() == pytest.approx(excess[:LISTED], abs=1e-4)


def test_half_of_the_tokens_read_one_token(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their pairs are alike for it alone; the others read themselves, and no two of them are alike."""
    n, readers = 12, list(range(6))
    a, v = np.eye(n, dtype=np.float32), 2 * np.eye(n, dtype=np.float32)
    a[readers] = np.eye(n)[3]
    passage = made_passage(range(n))
    z = (a @ v)[None, None]
    pairs = contributions.StrongPairs(passage, np.ones(n, bool), *_among(readers, z))
    blocks = (slice(0, 5), slice(5, n))

    def visit_attention(_model: Any, _passage: Any, visit: Any, layers: int) -> None:
        for queries in blocks:
            visit(0, slice(0, 1), queries, torch.from_numpy(a[None, queries]), torch.from_numpy(v[None]))

    monkeypatch.setattr(contributions, "visit_attention", visit_attention)
    units = readable(passage, "tokens")
    model: Any = NamedTuple("Model", [("device", Any)])(torch.device("cpu"))
    strong, every = contributions.read_by_pairs(model, units, z, pairs, "dot")
    counts = count_sources(units, strong, every * pairs.shape[2] / pairs.possible, pairs.similarity.sum(axis=-1))
    table = source_table(counts)
    assert table[["token_id", "share"]].iloc[0].tolist() == [3, 1.0]
    assert table["chance_share"].iloc[0] == pytest.approx(15 / 66)
    assert (table["share"].iloc[1:] == 0).all() and (table["chance_share"].iloc[1:] == 0).all()


def _among(readers: list[int], z: np.ndarray) -> tuple[np.ndarray, ...]:
    first, second = np.array(list(combinations(readers, 2))).T
    return first[None, None], second[None, None], context_similarity(z)[0, 0, first, second][None, None]


def test_what_is_no_pair_is_one_sentence(model_of: Any) -> None:
    analysis = analyze_reading(two_windows(model_of(CASES[0]), "tokens"), Settings(share=0.03), references={})
    for asked, message in {
        ("L1H1", 0, 1, None): "say which",
        ("L1H1", 0, 1, 9): "was not read",
        ("L9H1", 0, 1, 1): "There is no head",
        ("L1H1", 0, 400, 1): "from 0 to",
        ("L1H1", -1, 3, 1): "from 0 to",
        ("L1H1", 3, 3, 1): "two different tokens, not 3 twice",
        ("L1H1", "whale", 3, 1): "stands nowhere",
        ("L1H1", ".", 3, 1): r"stands \d+ times, at \d+, ",
    }.items():
        with pytest.raises(InputError, match=message) as error:
            analysis.explain(*asked)
        assert str(error.value).count(". ") == 0
    first = analysis.reading.passages[1]
    once = next(at for at in range(len(first)) if first.tokens.count(first.tokens[at]) == 1 and at > 1)
    assert analysis.explain("L1H1", first.tokens[once].upper(), 0, 2).first == once
    with pytest.raises(InputError, match="no chance level"):
        _ = (centred := analyze_reading(analysis.reading, Settings("centred", 0.03), references={})).sources
    assert centred.heads["common_share"].isna().all()


def test_removed_heads_have_no_source(tiny_model: Tiny) -> None:
    whole = analyze_reading(read(tiny_model("bert"), read_document(IN_SHORT)), Settings(share=0.2), references={})
    without = ablate(whole.reading.model, ["L1H2", "L3"])
    analysis = analyze_reading(read(without, whole.reading.document), Settings(share=0.2), references={})
    assert set(zip(analysis.sources["layer"], analysis.sources["head"], strict=True)) == {
        (1, 1), (1, 3), (1, 4), (2, 1), (2, 2), (2, 3), (2, 4)
    }  # fmt: skip
    first = analysis.sources["layer"] == 1, (whole.sources["layer"] == 1) & (whole.sources["head"] != 2)
    assert analysis.sources[first[0]].to_dict("list") == whole.sources[first[1]].to_dict("list")
    with pytest.raises(InputError, match="L3H1 is removed"):
        analysis.explain("L3H1", 1, 2)
