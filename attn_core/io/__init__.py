"""Files, tables and paths."""
