"""Tidy tables -> Altair charts, pure: no widget, no file, no number that is not in the table.

A file a page. Colours and the chance level look the same everywhere: see `style`.
"""
