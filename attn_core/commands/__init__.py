"""The commands of `python -m attn_core`. Each adds its own parser and imports large libraries only when it runs."""
