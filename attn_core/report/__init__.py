"""Reports: one self-contained HTML file of a text or of a folder."""
