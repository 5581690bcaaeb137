"""The commands of `python -m attn_core`, a file each; each adds its own parser and imports what is heavy when it runs."""
