"""Notes above a page on what its numbers are of."""

from attn_core.analysis.one_text import Analysis
from attn_core.measures.few_pairs import MIN_PAIRS, describe_left_out, enough_share, too_few
from attn_core.models.baselines import CONTROLS, control_of
from attn_core.ui import readings
from attn_core.ui.readings import Choice
from attn_core.ui.shell import sidebar


def notes(asked: Choice, choice: Choice, results: Analysis) -> list[str]:
    """Notes on a baseline, words as units, windows left out, too few pairs, and one window of several."""
    said, windows = list[str](), len(readings.passages(choice.key))
    if control := control_of(choice.spec, choice.layout):
        said.append(f":orange-badge[{CONTROLS[control]}] These are the numbers of a baseline.")
    if results.unit == "words":
        said.append(":material/notes: All counts are of words, not tokens.")
    if short := results.provenance.get("short_windows"):
        said.append(f":material/warning: {describe_left_out(short)}")
    if too_few(results.statistics):
        said.append(_sentence_of_few(results))
    if asked.window != choice.window and windows > 1:
        said.append(
            f":material/info: This page reads window {choice.key.number} of {windows} alone, and so do its numbers of "
            "heads. *Window* in the sidebar chooses another."
        )
    return said


def _sentence_of_few(results: Analysis) -> str:
    """A note that no head is named, with the share of pairs that would be enough."""
    first = results.statistics.iloc[0]
    pairs = f"{first['pairs'] / first['windows']:.0f} per head and window; {MIN_PAIRS} needed"
    few = f":material/warning: Too few strong pairs ({pairs}) to assign roles"
    share = enough_share([len(one.all_pairs[0]) for one in results.windows])
    wanted = round(100 * share, 1)
    enough = f"take the strongest {wanted:g}% in *Settings*" if wanted <= sidebar.MOST else "take more text"
    return f"{few}: {enough}."
