"""Parts of the page Anchor tokens."""
