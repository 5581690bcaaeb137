"""Parts of the page Corpus."""
