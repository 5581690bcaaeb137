"""What the tests share: no network, the real model, tiny models of every family."""

import os
import re
import shlex
import shutil
import socket
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from huggingface_hub import constants
from hypothesis import HealthCheck, Phase, settings
from transformers.utils import logging

from attn_core.__main__ import main
from attn_core.models.files import ModelSpec
from attn_core.models.loading import load
from attn_core.models.records import LoadedModel
from attn_core.texts.documents import read_document
from attn_core.texts.passages import Passage, read_passages
from tests.families import ENCODER_DECODERS, READS_LONG, SERVED, Folder, Read, Stacks, Tiny, save_tiny

logging.disable_progress_bar()
# A busy machine is slow, not wrong. Everywhere the same texts are made up, so that a red run can be had again; before
# a change lands twice as many.
EXAMPLES = 40 if "CI" in os.environ else 20
settings.register_profile(
    "project", deadline=None, max_examples=EXAMPLES, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
# Fresh texts at every run, many more of them; what they find is printed, to be kept as an @example.
settings.register_profile(
    "fuzz", settings.get_profile("project"), max_examples=1000, derandomize=False, print_blob=True
)
# The first example that fails, whichever that is: of mutants.
settings.register_profile(
    "unshrunk", settings.get_profile("project"), max_examples=40, phases=[Phase.explicit, Phase.generate]
)
settings.load_profile("project")
Refused = Callable[..., str]
HERE = ("127.0.0.1", "::1", "localhost", "0.0.0.0")


@pytest.fixture(scope="session", autouse=True)
def no_components_of_other_packages() -> Iterator[None]:
    """Streamlit looks for them in every installed package, whenever a test opens a page: a fifth of its time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("streamlit.components.v2.manifest_scanner.scan_component_manifests", list)
        yield


@pytest.fixture(scope="session", autouse=True)
def nothing_outlives_a_power_cut() -> Iterator[None]:
    """To wait for the disk at every file of every small study takes an eighth of their tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _descriptor: None)
        yield


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A test fails that looks beyond this machine, even where the code under test swallows the error."""
    asked: list[Any] = []
    connect, look_up = socket.socket.connect, socket.getaddrinfo

    def local_only(host: Any) -> None:
        name = host.decode() if isinstance(host, bytes) else host
        if isinstance(name, str) and name not in HERE:
            asked.append(name)
            raise OSError(f"The tests may not reach {name}.")

    def guarded_connect(self: socket.socket, address: Any) -> None:
        if isinstance(address, tuple):
            local_only(address[0])
        connect(self, address)

    def guarded_look_up(host: Any, *arguments: Any, **options: Any) -> Any:
        local_only(host)
        return look_up(host, *arguments, **options)

    monkeypatch.setattr(socket.socket, "connect", guarded_connect)
    monkeypatch.setattr(socket, "getaddrinfo", guarded_look_up)
    yield
    assert not asked, f"the network was asked for {asked}"


@pytest.fixture(autouse=True)
def own_main() -> Iterator[None]:
    """Streamlit puts a page in the place of `__main__`; a process spawned later would run that page first."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main


@pytest.fixture
def hub_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty Hugging Face cache in place of the developer's."""
    folder = tmp_path / "hub"
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(folder))
    return folder


@pytest.fixture
def hub_at(hub_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Lets the hub's library look for the hub at an address, with an empty cache."""

    def at(address: str) -> None:
        monkeypatch.setattr(constants, "ENDPOINT", address)
        monkeypatch.setattr(
            constants, "HUGGINGFACE_CO_URL_TEMPLATE", address + "/{repo_id}/resolve/{revision}/{filename}"
        )
        monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)

    return at


@pytest.fixture
def refused(capsys: pytest.CaptureFixture[str]) -> Refused:
    """The sentence with which a command gives up: the last line of standard error, after how far it came."""

    def says(command: str, *more: object) -> str:
        assert main([*shlex.split(command), *map(str, more)]) == 2
        out, error = capsys.readouterr()
        last = re.split("[\n\r]", error.removesuffix("\n"))[-1]
        assert out == "" and last.startswith("attn_core: ") and last.endswith((".", " --help)"))
        return last.removeprefix("attn_core: ")

    return says


@pytest.fixture(scope="session")
def minilm() -> LoadedModel:
    """The real pretrained model that the project installs."""
    return load(ModelSpec())


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """Family name -> the folder of a tiny model, saved once a session: read it only."""
    return cache(lambda family: save_tiny(tmp_path_factory.mktemp("tiny") / family, SERVED[family]))


@pytest.fixture(scope="session")
def tiny(tiny_folder: Folder) -> ModelSpec:
    """The one that most tests read with."""
    return ModelSpec(str(tiny_folder("bert")))


@pytest.fixture(scope="session")
def tiny_model(tiny_folder: Folder) -> Tiny:
    """Family name -> a tiny model, loaded once a session."""

    @cache
    def model(family: str) -> LoadedModel:
        with torch.inference_mode(False):  # whichever test asks first: others want gradients
            return load(ModelSpec(str(tiny_folder(family))))

    return model


@pytest.fixture(scope="session")
def stacks_folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """Family name -> the folder of a tiny encoder-decoder, saved with both its stacks."""
    return cache(lambda family: save_tiny(tmp_path_factory.mktemp("stacks") / family, ENCODER_DECODERS[family]))


@pytest.fixture(scope="session")
def stack_of(stacks_folder: Folder) -> Stacks:
    """Family name and stack -> that stack of it, loaded once a session."""
    return cache(lambda family, stack: load(ModelSpec(str(stacks_folder(family)), stack=stack)))


@pytest.fixture(scope="session")
def long_folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """Family name -> the folder of a tiny model that reads long windows."""
    return cache(lambda family: save_tiny(tmp_path_factory.mktemp("long") / family, READS_LONG[family]))


@pytest.fixture(scope="session")
def long_model(long_folder: Folder) -> Tiny:
    """Family name -> the same, loaded once a session, with the usual windows."""
    return cache(lambda family: load(ModelSpec(str(long_folder(family)))))


@pytest.fixture
def tiny_bert_folder(tiny_folder: Folder, tmp_path: Path) -> Path:
    """A tiny BERT of the test's own, to be damaged."""
    return shutil.copytree(tiny_folder("bert"), tmp_path / "tiny-bert")


@pytest.fixture(scope="session")
def read() -> Read:
    """A text -> the one passage that a model reads."""

    def passage(model: LoadedModel, text: str) -> Passage:
        (only,) = read_passages(read_document(text), model.tokenizer, model.max_tokens)
        return only

    return passage
