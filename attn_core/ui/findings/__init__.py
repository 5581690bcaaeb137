"""Verdicts on the screen, and pairs to read for them."""
