"""The page Patterns."""
