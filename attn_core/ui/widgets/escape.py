"""Text as text: what comes from a user, a token or a file name is never run as markdown or HTML."""

MARKDOWN = frozenset(r"\`*_{}[]()<>#+-.!|$~:&=")


def plain(value: object) -> str:
    """The value with every character that markdown could read escaped, on one line."""
    return "".join(f"\\{c}" if c in MARKDOWN else c for c in " ".join(str(value).split()))
