"""What every page stands in: title, sidebar, the choice of text and model."""
