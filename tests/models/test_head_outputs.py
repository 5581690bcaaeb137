"""What every token receives by chance."""

import numpy as np
import pytest

from attn_core.models.head_outputs import evenly_received


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("n", [1, 2, 7])
def test_even_attention_gives_every_token_its_chance_level(n: int, causal: bool) -> None:
    seen = np.tril(np.ones((n, n))) if causal else np.ones((n, n))
    even = seen / seen.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(evenly_received(n, causal), even.mean(axis=0))
    assert evenly_received(n, causal).sum() == pytest.approx(1)


def test_cross_attention_leaves_the_first_token_out() -> None:
    assert evenly_received(5, causal=False, stack="cross").tolist() == [0, 0.25, 0.25, 0.25, 0.25]
