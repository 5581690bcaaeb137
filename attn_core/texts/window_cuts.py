"""Where a text is cut into windows: as few as hold its sentences whole, of like length, none shorter than half of another."""

from dataclasses import dataclass
from itertools import count

import numpy as np

Span = tuple[int, int]  # of tokens


def window_spans(sentence: np.ndarray, room: int, closing: int = 0) -> list[Span]:
    """The windows of a text, one behind the other.

    sentence: (T,), the number of each token's sentence, never falling. room: tokens that a window holds; closing: how many
    of them close each sentence in it. There are as few windows as can be where only sentences longer than a window are
    cut, and each takes an even share of what is left, to the nearest sentence end. Where one would be shorter than half of
    another, sentences longer than half a window may be cut too, then those longer than a quarter, and so on.
    """
    most = room - closing
    whole = _places(sentence, room, closing, most)
    for windows in count(whole.fewest()):  # more only where many cut sentences, each of which is closed, need the room
        longest = most
        while longest:
            places = _places(sentence, room, closing, longest) if longest < most else whole
            if len(places.at) > windows:
                cuts = places.even_cuts(windows)
                lengths = places.ends[cuts[1:]] - places.starts[cuts[:-1]]
                if 2 * lengths.min() >= lengths.max():
                    at = places.at[cuts].tolist()
                    return list(zip(at[:-1], at[1:], strict=True))
            longest //= 2
    raise AssertionError("Windows of one token each are of one length.")


@dataclass(frozen=True, eq=False)
class _Places:
    """Where a text may be cut, both its ends among them, (n,): a window from a to b has the length ends[b] - starts[a]."""

    at: np.ndarray
    starts: np.ndarray
    ends: np.ndarray
    room: int

    def fewest(self) -> int:
        """The least number of windows."""
        place = windows = 0
        while place < len(self.at) - 1:
            place, windows = self._furthest(place), windows + 1
        return windows

    def even_cuts(self, windows: int) -> list[int]:
        """The places between so many windows of like length, the text's ends among them; at least `fewest`."""
        last = len(self.at) - 1
        earliest = [last]  # from which the windows that are left hold the rest
        while len(earliest) < windows:
            earliest.append(self._first_reaching(earliest[-1]))
        cuts = [0]
        for left in range(windows - 1, 0, -1):
            begin = cuts[-1]
            share = (self.ends[last] - self.starts[begin]) / (left + 1)
            behind = int(np.searchsorted(self.ends, self.starts[begin] + int(np.ceil(share))))
            middle = (self.ends[behind - 1] + self.ends[behind]) / 2
            nearest = behind if self.starts[begin] + share > middle else behind - 1
            least, most = max(earliest[left], begin + 1), min(self._furthest(begin), last - left)
            cuts.append(min(max(nearest, least), most))
        return [*cuts, last]

    def _furthest(self, place: int) -> int:
        return int(np.searchsorted(self.ends, self.starts[place] + self.room, side="right")) - 1

    def _first_reaching(self, place: int) -> int:
        return int(np.searchsorted(self.starts, self.ends[place] - self.room))


def _places(sentence: np.ndarray, room: int, closing: int, longest: int) -> _Places:
    """Sentence ends, and every place in sentences of more than so many tokens."""
    begins = np.diff(sentence, prepend=-1) != 0
    number = np.cumsum(begins) - 1
    at = np.append(np.flatnonzero(begins | (np.bincount(number) > longest)[number]), len(sentence))
    before = np.append(number, number[-1] + 1)[at]  # sentences that began before the one that goes on here
    ended = np.append(0, number[at[1:] - 1] + 1)
    return _Places(at, at + closing * before, at + closing * ended, room)
