"""Verdicts on the screen: how firm they are, and pairs to read for them."""
