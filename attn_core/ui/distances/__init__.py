"""Parts of the page Distances."""
