"""Parts of the page Findings."""
