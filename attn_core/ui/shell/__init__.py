"""Title, sidebar, and the choice of text and model of every page."""
