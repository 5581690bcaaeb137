"""From numbers to verdicts: the claims, how firm they are, and pairs to read for each."""
