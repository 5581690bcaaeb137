"""Windows that a model reads together: of like length, so that little is padded."""

from collections.abc import Iterator, Sequence


def batches(lengths: Sequence[int], batch_tokens: int) -> Iterator[list[int]]:
    """Windows of like length together: indices, longest first, at most `batch_tokens` a batch with padding."""
    order = sorted(range(len(lengths)), key=lambda index: -lengths[index])
    while order:
        size = max(1, batch_tokens // lengths[order[0]])
        yield order[:size]
        order = order[size:]
