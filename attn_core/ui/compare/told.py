"""What a table or a figure of several subjects says of where it came from."""

from collections.abc import Mapping, Sequence

from attn_core.ui.compare.subjects import Compared
from attn_core.ui.shell.frame import View
from attn_core.ui.widgets.in_words import OF_STUDY, OF_TEXT


def provenance(view: View, compared: Sequence[Compared], **choices: object) -> dict[str, object]:
    """Where a table of several subjects comes from: all of them, whole."""
    return view.provenance(subjects={one.name: dict(one.subject.results.provenance) for one in compared}, **choices)


def of_subjects(compared: Sequence[Compared]) -> Mapping[str, str | None]:
    """What a figure of several subjects shows: their names in place of what stands above the page, but for what they share."""
    names = "; ".join(f"{chr(ord('A') + at)}: {one.name}" for at, one in enumerate(compared))
    choices = [one.choice for one in compared]
    told: dict[str, str | None] = {"subjects": names} | dict.fromkeys((*OF_TEXT, *OF_STUDY))
    if any(choice.study for choice in choices):
        return told
    if len({choice.title for choice in choices}) == 1:
        del told["text"]
    else:
        told["text"] = f"text of A: {choices[0].title}"
    if len({choice.settings for choice in choices}) == 1:
        del told["measure"], told["pairs"]
    return told
