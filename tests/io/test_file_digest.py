"""What tells files of weights apart."""

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from attn_core.io.file_digest import PLACES, SAMPLE, digest_of

TENSORS = {"a": np.zeros((300, 40), np.float32), "b": np.zeros(3, np.float32), "c": np.zeros((0, 4), np.float32)}


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    save_file(TENSORS, file := tmp_path / "model.safetensors")
    return file


def changed(file: Path, place: int) -> str:
    data = bytearray(file.read_bytes())
    data[place] ^= 1
    (file.parent / "other.safetensors").write_bytes(data)
    return digest_of(file.parent / "other.safetensors")


def test_the_header_and_both_ends_of_every_tensor_count(weights: Path) -> None:
    size, header = weights.stat().st_size, 8 + int.from_bytes(weights.read_bytes()[:8], "little")
    small, large = TENSORS["b"].nbytes, TENSORS["a"].nbytes
    assert size == header + small + large
    for place in (20, header - 1, header, header + large - 1, header + large, size - 1):
        assert changed(weights, place) != digest_of(weights), place
    (weights.parent / "other.safetensors").write_bytes(weights.read_bytes())
    assert digest_of(weights.parent / "other.safetensors") == digest_of(weights)


def test_it_reads_samples_and_not_all(weights: Path) -> None:
    """What the docstring owns up to: eight samples of a tensor are no hash of it."""
    header, usual = 8 + int.from_bytes(weights.read_bytes()[:8], "little"), digest_of(weights)
    seen = sum(changed(weights, header + place) != usual for place in range(0, 48_000, 32))
    assert seen == pytest.approx(PLACES * SAMPLE / 32, abs=PLACES)


@pytest.mark.parametrize(
    "data", [b"", b"{}", b"\xff" * 99, (2).to_bytes(8, "little") + b"[]", b"\x02" + bytes(7) + b"{}"]
)
def test_a_damaged_file_has_a_digest_too(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "model.safetensors").write_bytes(data)
    assert len(digest_of(tmp_path / "model.safetensors")) == 64
