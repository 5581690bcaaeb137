"""Parts of the page Specialization."""
