"""From a name to head outputs: a model's files, its loading and its check, and what it makes of a passage."""
