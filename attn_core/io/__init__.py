"""Files, whole or not at all, and what is written into them."""
