"""Tidy tables -> Altair charts: without widgets, files, or numbers that are not in the table.

Most charts call `head_map`, `curve` or `word_grid`; `style` defines the colours. Channels are written
`alt.X("head:O")`, since Altair takes 5 ms to parse `x="head:O"`.
"""
