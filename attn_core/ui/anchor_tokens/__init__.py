"""The page Anchor tokens."""
