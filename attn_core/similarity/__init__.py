"""From head outputs to strong pairs: context similarity, and which pairs of a window are most alike."""
