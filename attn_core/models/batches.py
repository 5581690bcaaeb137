"""Windows that a model reads together: of like length, so that little is padded."""

from collections.abc import Iterator, Sequence


def batches(lengths: Sequence[int], batch_tokens: int, texts: Sequence[int] = ()) -> Iterator[list[int]]:
    """Windows of like length together: indices, longest first, at most `batch_tokens` a batch with padding.

    texts: to which text each window belongs. The longest of another text than the first comes second, since all windows
    before it wait for it (see `study.worker`).
    """
    order = sorted(range(len(lengths)), key=lambda index: -lengths[index])
    other = next((index for index in order if texts and texts[index] != texts[order[0]]), None)
    if other is not None:
        order.remove(other)
        order.insert(1, other)
    while order:
        size = max(1, batch_tokens // lengths[order[0]])
        yield order[:size]
        order = order[size:]
