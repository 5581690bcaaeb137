"""How many matrices to work on at once: as many as fit where the processor reads them fastest."""

import torch

CACHE = 2**18  # float32 numbers; the megabyte that a core of today's processors keeps beside it
ACCELERATOR = 2**26  # a GPU wants much at once, within a quarter of a gigabyte


def matrices_at_once(numbers: int, device: torch.device) -> int:
    """How many matrices of so many numbers make a block, at least one."""
    room = CACHE * torch.get_num_threads() if device.type == "cpu" else ACCELERATOR
    return max(1, room // numbers)
