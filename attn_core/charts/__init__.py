"""Tidy tables -> Altair charts: without widgets, files, or numbers that are not in the table.

Most are a call of `head_map`, `curve` or `word_grid`; `style` has the colours. Channels are
`alt.X("head:O")`, since Altair takes 5 ms to parse `x="head:O"`.
"""
