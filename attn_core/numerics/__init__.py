"""Arithmetic that knows nothing of heads."""
