"""What ends a paragraph: a blank line, or a line end between long lines of several sentences; nothing else."""

from textwrap import fill

import pytest

from attn_core.texts.documents import GOLD_MARK, read_document
from attn_core.texts.paragraphs import paragraph_starts

SENTENCES = [f"The tide number {number} rose slowly over the sand of the bay." for number in range(12)]
PARAGRAPHS = [" ".join(SENTENCES[first : first + 3]) for first in range(0, 12, 3)]  # about 180 characters each
STARTS = (3, 6, 9)
LONG_SENTENCE = (
    "The tide rose, and rose again, until the whole of the harbour and half of the lower town stood under grey water."
)


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("\n\n".join(PARAGRAPHS), STARTS),
        ("\r\n \t\r\n\r\n".join(PARAGRAPHS), STARTS),
        ("\n".join(PARAGRAPHS), STARTS),
        ("\n\n".join(fill(one, 60) for one in PARAGRAPHS), STARTS),
        ("\n".join(fill(one, 60) for one in PARAGRAPHS), ()),
        (fill(" ".join(PARAGRAPHS), 60), ()),
        (fill(" ".join(PARAGRAPHS * 3), 130), ()),
        ("\n".join(SENTENCES), ()),
        ("\n".join([LONG_SENTENCE] * 8), ()),
        (f"\n{GOLD_MARK}\n".join(["\n".join([LONG_SENTENCE] * 3)] * 4), ()),
        (f"\n{GOLD_MARK}\n".join(["\n".join(SENTENCES[:3])] * 4), ()),
        ("Milk.\nBread.\nTwo eggs. Or three.\nSalt.\nFlour.", ()),
        ("\n\n".join(["Seven lamps hung.\nThe wind came.\nOut went one."] * 3), (3, 6)),
        ("\n".join(["The morning\n" + PARAGRAPHS[0], *PARAGRAPHS[1:]]), STARTS),
        (" ".join(PARAGRAPHS), ()),
        ("One sentence only.", ()),
    ],
    ids=[
        "blank lines", "blank lines of a Windows file", "a paragraph a line", "wrapped, blank lines", "wrapped, no blank line",
        "wrapped", "wrapped at a wide margin", "a sentence a line", "a long sentence a line", "Choi's format",
        "Choi's format, short", "a list", "verses", "a heading", "one paragraph", "one sentence",
    ],
)  # fmt: skip
def test_paragraphs_begin_where_they_were_typed(text: str, starts: tuple[int, ...]) -> None:
    assert paragraph_starts(read_document(text, "en")) == starts
