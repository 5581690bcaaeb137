"""What an object says of itself: a few lines on a console, a small table in a notebook, whatever it holds."""

from abc import abstractmethod
from collections.abc import Mapping
from html import escape

from attn_core.io.paths import shown

LONGEST = 100  # characters of a line


class InBrief:
    """An object that is told by a few of its facts."""

    @abstractmethod
    def brief(self) -> Mapping[str, object]:
        """The facts by name; none that would have to be computed first."""

    def __repr__(self) -> str:
        facts = {name: _line(fact) for name, fact in self.brief().items()}
        width = max(map(len, facts))
        return "\n".join([type(self).__name__, *(f"  {name:{width}}  {fact}" for name, fact in facts.items())])

    def _repr_html_(self) -> str:
        rows = "".join(
            f'<tr><th style="text-align:left">{escape(name)}</th>'
            f'<td style="text-align:left">{escape(_line(fact))}</td></tr>'
            for name, fact in self.brief().items()
        )
        return f"<table><caption>{escape(type(self).__name__)}</caption>{rows}</table>"


def _line(fact: object) -> str:
    """A fact on one line that can be printed, cut where it is long."""
    line = " ".join(shown(str(fact)[: 2 * LONGEST]).split())
    printable = "".join(letter if letter.isprintable() else f"\\x{ord(letter):02x}" for letter in line)
    return printable if len(printable) <= LONGEST else f"{printable[: LONGEST - 1]}…"
