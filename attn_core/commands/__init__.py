"""The commands of `python -m attn_core`. Each adds its own parser and imports what is heavy only when it runs."""
