"""Models: their files, loading and check, and the head outputs of a passage."""
