"""From numbers to verdicts: the claims, heads worth a look, and pairs to read for each claim."""
