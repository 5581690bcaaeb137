"""From characters to windows of tokens: documents, their sentences, and passages that a model reads at once."""
