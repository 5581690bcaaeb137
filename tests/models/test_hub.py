"""Downloads from a server on this machine that answers as the hub does."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tqdm.auto import tqdm

from attn_core.errors import ModelError
from attn_core.models.files import WEIGHTS, ModelSpec, download, is_available_offline, locate
from attn_core.models.loading import load
from tests.fake_hub import commit, fake_hub

NAME = "some-one/tiny"
HubAt = Callable[[str], None]


def test_a_model_is_downloaded_with_progress_and_then_here(hub_at: HubAt, tiny_bert_folder: Path) -> None:
    for unwanted in ("pytorch_model.bin", "tf_model.h5", "README.md", "code.py"):
        (tiny_bert_folder / unwanted).write_text("unwanted")
    shutil.copytree(tiny_bert_folder, tiny_bert_folder.parent / "copy").rename(tiny_bert_folder / "onnx")
    seen: list[float] = []
    fetched: list[str] = []

    class Progress(tqdm):  # type: ignore[type-arg]
        def update(self, n: float | None = 1) -> bool | None:
            seen.append(n or 0)
            return super().update(n)

    spec = ModelSpec(NAME)
    assert not is_available_offline(spec)
    with fake_hub(NAME, {"main": tiny_bert_folder}, fetched=fetched) as address:
        hub_at(address)
        folder = download(spec, Progress)
    assert is_available_offline(spec)
    assert locate(spec) == folder
    assert load(spec).revision == commit("main")
    assert set(fetched) == {"config.json", WEIGHTS, "tokenizer.json", "tokenizer_config.json"}
    assert sum(seen) >= (tiny_bert_folder / WEIGHTS).stat().st_size


@pytest.mark.parametrize("refusal", [(401, "RepoNotFound"), (403, "GatedRepo"), (404, "RevisionNotFound"), (500, "")])
def test_what_the_hub_refuses_is_one_sentence_with_what_it_said(hub_at: HubAt, refusal: tuple[int, str]) -> None:
    with fake_hub(NAME, {}, refusal=refusal) as address:
        hub_at(address)
        says = rf"^some-one/tiny cannot be downloaded: check name, revision, your access .* \(.*{refusal[0]}.*\)\.$"
        with pytest.raises(ModelError, match=says):
            download(ModelSpec(NAME, "v7"))
