"""A token where it stands: the characters around it."""

from attn_core.passages import Passage

WIDTH = 28  # characters on either side


def snippet(passage: Passage, position: int, width: int = WIDTH) -> str:
    """The text around a token, the token in ‹ ›; a special token alone. Line ends become blanks."""
    if passage.is_special[position]:
        return f"‹{passage.tokens[position]}›"
    text, start, end = passage.document.text, int(passage.starts[position]), int(passage.ends[position])
    before, after = text[max(0, start - width) : start], text[end : end + width]
    left = "…" if start > width else ""
    right = "…" if end + width < len(text) else ""
    return " ".join(f"{left}{before}‹{text[start:end]}›{after}{right}".split())
