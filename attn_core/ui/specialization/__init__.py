"""The page Specialization."""
