"""A report to hand on: one self-contained HTML file of a text, or of the tables in a folder.

    a folder, an Analysis --of_tables--> document.Report --document.html--> bytes

To show another figure, register its chart for a table in `figures.REGISTERED`.
"""
