"""Parts of the page Patterns."""
