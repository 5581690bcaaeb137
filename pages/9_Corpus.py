"""Corpus: the claims of the paper over many texts, with intervals, and the studies that count them in the background."""

from attn_core.ui.corpus.starting import show_form
from attn_core.ui.corpus.tabs import choose, show_tabs
from attn_core.ui.runs.watching import show_outcome
from attn_core.ui.shell import page
from attn_core.ui.widgets import show

choice = page.choice()
show_outcome()
if chosen := choose():
    show_tabs(*chosen, choice)
else:
    show_form(choice)

show.help("Corpus")
