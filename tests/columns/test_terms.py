"""The README says what a term means in the words of the terms' own file."""

import re
from pathlib import Path

import pytest

from attn_core.columns.dictionary import terms

ROOT = Path(__file__).parents[2]


def in_one_line(text: str) -> str:
    """Without line breaks and links, which Markdown may have anywhere."""
    return " ".join(re.sub(r" \(\[[^]]*\]\([^)]*\)\)", "", " ".join(text.split())).split())


@pytest.mark.parametrize("term", terms())
def test_the_readme_says_what_a_term_means_in_the_same_words(term: str) -> None:
    assert in_one_line(terms()[term]).rstrip(".") in in_one_line((ROOT / "README.md").read_text("utf-8"))
