"""A GPU gives what the CPU gives, for every family, up to rounding: `make test-cuda` on a machine that has one."""

import numpy as np
import pandas as pd
import pytest
import torch

from attn_core.analysis.one_text import analyze
from attn_core.analysis.references import read_references
from attn_core.interventions.effects import estimated_importance
from attn_core.models.capture import capture, layer_states
from attn_core.models.files import ModelSpec
from attn_core.models.loading import load
from attn_core.models.records import LoadedModel
from attn_core.similarity.noise_counts import find_noise
from attn_core.similarity.selection import strong_pairs_under
from attn_core.similarity.strong_pairs import MEASURES, Measure, Settings
from attn_core.texts.documents import samples
from tests.families import SERVED, TEXT, Folder, Read

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device: make test-cuda")
STATISTICS = ["mean_distance", "same_sentence_share", "repetition_share", "near_share", "separator_share", "noise_rate"]


@pytest.fixture(scope="module")
def both() -> tuple[LoadedModel, LoadedModel]:
    return load(ModelSpec(), "cpu"), load(ModelSpec(), "cuda")


@pytest.mark.parametrize("family", SERVED)
def test_head_outputs_are_those_of_the_cpu(family: str, tiny_folder: Folder, read: Read) -> None:
    spec = ModelSpec(str(tiny_folder(family)))
    cpu, cuda = load(spec, "cpu"), load(spec, "cuda")
    passages = [read(cpu, TEXT), read(cpu, TEXT[:90])]  # the second is padded
    for here, there in zip(capture(cpu, passages), capture(cuda, passages), strict=True):
        assert there.z.device.type == "cuda"
        torch.testing.assert_close(there.z.cpu(), here.z, rtol=1e-3, atol=1e-4)
        torch.testing.assert_close(there.received.cpu(), here.received, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("text", [sample.text for sample in samples()[:3]], ids=[s.file for s in samples()[:3]])
def test_tables_differ_by_rounding_alone(both: tuple[LoadedModel, LoadedModel], text: str) -> None:
    """Pairs whose similarities are equal up to rounding may change places at the threshold: a pair or two of a head."""
    cpu, cuda = (analyze(text, model) for model in both)
    pd.testing.assert_frame_equal(cpu.layers[STATISTICS], cuda.layers[STATISTICS], rtol=5e-3, atol=1e-3)
    assert (cpu.heads["anchor"] == cuda.heads["anchor"]).mean() > 0.98


@pytest.mark.parametrize("measure", MEASURES)
def test_pairs_and_noise_are_selected_on_the_device_as_on_the_cpu(
    both: tuple[LoadedModel, LoadedModel], read: Read, measure: Measure
) -> None:
    """Of the same vectors: pairs at the threshold may change places by rounding."""
    passage = read(both[1], samples()[0].text)
    (output,) = capture(both[1], [passage])
    references = read_references(both[1], passage.document, "plain")
    of_cpu = {name: {measure: text[measure].cpu()} for name, text in references.items()}
    choices = [Settings(measure, share, special) for share in (0.003, 0.01) for special in (True, False)]
    pairs, here = (strong_pairs_under(z, passage, choices) for z in (output.z, output.z.cpu()))
    noise = find_noise(output.z, pairs, measure, references), find_noise(output.z.cpu(), here, measure, of_cpu)
    for mine, cpu, reached, expected in zip(pairs, here, *noise, strict=True):
        assert (np.sort(mine.places) == np.sort(cpu.places)).mean() > 0.99
        np.testing.assert_allclose(mine.similarity, cpu.similarity, rtol=1e-4)
        np.testing.assert_allclose(reached.reached, expected.reached, atol=3)


def test_what_goes_beyond_the_heads_is_that_of_the_cpu(both: tuple[LoadedModel, LoadedModel], read: Read) -> None:
    passage = read(both[0], TEXT)
    states, importance = ([of(model) for model in both] for of in (
        lambda model: layer_states(model, passage.token_ids), lambda model: estimated_importance(model, passage)
    ))  # fmt: skip
    for here, there in zip(*states, strict=True):
        torch.testing.assert_close(there.cpu(), here, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(importance[1], importance[0], rtol=1e-2, atol=1e-7)


def test_a_text_is_segmented_as_on_the_cpu(both: tuple[LoadedModel, LoadedModel]) -> None:
    cpu, cuda = (analyze(samples()[0].text, model).segments for model in both)
    pd.testing.assert_frame_equal(cuda, cpu)
