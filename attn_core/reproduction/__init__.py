"""The paper as a test: its claims for models, controls and corpora, under every choice that the paper leaves open.

The paper's threshold, its corpus and its treatment of special tokens are not known, so that one choice reproduces nothing:
`choices` has them all. `runner` counts, `opened` reads what was counted.
"""
