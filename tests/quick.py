"""Which of many alike are run by `make test`."""

from collections.abc import Iterable
from typing import Any

import pytest


def quick_only(every: Iterable[Any], *quick: Any) -> list[Any]:
    """All of them as parameters, those that are not named only where the long tests run."""
    return [one if one in quick else pytest.param(one, marks=pytest.mark.long) for one in every]
