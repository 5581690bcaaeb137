"""Another text than the one on the screen: an order that is chosen on the text it is shown on looks better than it is."""

from dataclasses import dataclass, replace

from attn_core.texts.documents import samples
from attn_core.ui.caches import readings
from attn_core.ui.choice import TextKey
from attn_core.ui.widgets.escape import plain


@dataclass(frozen=True)
class ChosenOn:
    """The window that an order is chosen on, in words, and whether it is another one than the window on the screen."""

    key: TextKey
    in_words: str
    is_other: bool


def chosen_on(key: TextKey) -> ChosenOn:
    """The longest other window of this text, else a sample text in its language, else there is this window only."""
    assert key.window is not None, "one window is shown"
    others = [passage for passage in readings.passages(key) if passage.index != key.window]
    if others:
        longest = max(others, key=len).index
        return ChosenOn(key.at(longest), f"window {longest + 1} of this text", is_other=True)
    other = next((s for s in samples() if s.language == key.language and s.text != key.text), None)
    if other is None:
        return ChosenOn(key, "this window itself", is_other=False)
    sample = replace(key, text=other.text, window=0)
    return ChosenOn(sample, f"another text, “{plain(other.title)}”", is_other=True)
