"""Pieces of a page, which know nothing of what they show."""
