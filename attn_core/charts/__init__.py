"""Tidy tables -> Altair charts, pure: no widget, no file, no number that is not in the table.

Most are a call of `head_map`, `curve` or `word_grid`. Colours and the chance level look the same everywhere: see `style`.
Channels are written out (`alt.X("head:O")`, not `x="head:O"`): to find out what a bare string is takes Altair 5 ms.
"""
