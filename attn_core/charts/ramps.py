"""The colours of matrices, the same wherever one is drawn: anchors, evenly spaced, and what lies between them.

Viridis (perceptually uniform), and blue to red with a middle that matches the page: light pages get dark ends, dark pages
bright ends, so that "far from zero" is always "far from the page".
"""

from typing import Literal

import numpy as np

Scheme = Literal["sequential", "diverging"]
Ground = Literal["light", "dark"]
VIRIDIS = "440154 482475 414487 355f8d 2a788e 21918c 22a884 44bf70 7ad151 bddf26 fde725"
ANCHORS: dict[Scheme, dict[Ground, str]] = {
    "sequential": {"light": VIRIDIS, "dark": VIRIDIS},
    "diverging": {
        "light": "053061 2166ac 4393c3 92c5de d1e5f0 f7f7f7 fddbc7 f4a582 d6604d b2182b 67001f",
        "dark": "b3dcff 74b4ee 3f86cf 235a96 18345a 14171f 5a2418 963c24 cf5f3f f0906c ffc9ae",
    },
}


def colours(scheme: Scheme, ground: Ground) -> list[str]:
    """The anchors of a scheme as #rrggbb, from the least value to the largest."""
    return [f"#{anchor}" for anchor in ANCHORS[scheme][ground].split()]


def ramp(anchors: str) -> np.ndarray:
    """256 colours, (256, 3) integers, between evenly spaced anchors ("rrggbb rrggbb ...")."""
    rgb = np.array([list(bytes.fromhex(anchor)) for anchor in anchors.split()])
    at, where = np.linspace(0, 1, 256), np.linspace(0, 1, len(rgb))
    return np.rint(np.stack([np.interp(at, where, channel) for channel in rgb.T], axis=1)).astype(int)
