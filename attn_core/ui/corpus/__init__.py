"""The page Corpus."""
