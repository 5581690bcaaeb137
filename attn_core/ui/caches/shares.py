"""One statistic by layer for several shares of strongest pairs, from one reading."""

from dataclasses import replace

import pandas as pd

from attn_core.ui.caches import of_choice
from attn_core.ui.choice import Choice

SHARES = (0.001, 0.003, 0.01, 0.03, 0.1)


def layers_by_share(choice: Choice) -> pd.DataFrame:
    """The layers table of every share, with a column share; the chosen share is among them."""
    return pd.concat([_layers(choice, share) for share in sorted({*SHARES, choice.settings.share})], ignore_index=True)


def _layers(choice: Choice, share: float) -> pd.DataFrame:
    settings = replace(choice.settings, share=share)
    layers = of_choice.layers(choice.key, settings)
    return layers.assign(share=share)
