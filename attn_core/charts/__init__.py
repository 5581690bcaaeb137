"""Tidy tables -> Altair charts, pure: no widget, no file, no number that is not in the table.

A file a page. Colours and the chance level look the same everywhere: see `style`. Each function is decorated with `once`.
Channels are written out (`alt.X("head:O")`, not `x="head:O"`): to find out what a bare string is takes Altair 5 ms.
"""
