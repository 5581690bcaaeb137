"""The page Distances."""
