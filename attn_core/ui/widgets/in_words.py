"""What the words tell that stand above a page and under its figures, and the labels of controls."""

from attn_core.models.controls import CONTROLS as KINDS
from attn_core.models.controls import NAMES

# Streamlit puts what a widget shows into the address, so that these labels must stay as they are.
CONTROLS = {NAMES[control]: control for control in KINDS}
# What the words tell that stand above a page and under its figures, in their order.
OF_TEXT = ("text", "size", "model", "layout", "measure", "pairs")
OF_STUDY = ("study", "size", "corpus", "model", "layout", "measure", "pairs", "intervals")
OF_SERIES = ("series", "layout", "measure", "pairs")
OF_REPRODUCTION = ("reproduction", "corpus", "models", "size")
