"""Whole numbers as people and files write them."""

DIGITS = 19  # of the largest number that tables and generators take


def whole_number(text: str) -> int | None:
    """A whole number from 0 to 2^63 - 1, None for anything else, so that thousands of digits cost nothing."""
    if not (text.isascii() and text.isdecimal() and len(text) <= DIGITS):
        return None
    return number if (number := int(text)) < 2**63 else None
