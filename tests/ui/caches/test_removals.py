"""What takes long is counted once for a text, a model and a program, and survives the visit."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from attn_core.head import Head
from attn_core.io import disk_cache
from attn_core.models.files import ModelSpec
from attn_core.ui.caches import removals
from attn_core.ui.choice import TextKey

TEXT = "The tide rose and covered the old pier. Nobody saw it."


def test_what_a_removal_does_is_counted_once(
    tiny_folder: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(disk_cache.VARIABLE, str(tmp_path))
    key = TextKey(ModelSpec(str(tiny_folder("bert"))), TEXT, "en", "plain", 0)
    alone = [(Head(0, 0),), (Head(1, 1),)]
    first = removals.effects(key, alone, "mean")
    with monkeypatch.context() as patch:
        patch.setattr("attn_core.interventions.effects.effects_of", None)
        assert np.array_equal(removals.effects(key, alone, "mean"), first)
        with pytest.raises(TypeError):  # other heads are counted
            removals.effects(key, alone[::-1], "mean")
    assert first.shape == (2,) and (first > 0).all()
