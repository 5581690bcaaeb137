"""A report to hand on: one self-contained HTML file of what lies in a folder or stands on the screen.

    tables, findings, figures --of_results, of_comparison--> document.Report --document.html--> bytes
    a folder --kinds--> document.Report

To report another kind of folder, write a function from it to a `Report` and a line in `kinds.KINDS`.
"""
