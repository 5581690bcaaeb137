"""The paper as a test: its claims for several models, their controls and several corpora, under every sensible choice.

The paper's threshold, its corpus and its treatment of special tokens are not known, so that one choice reproduces nothing:
`choices` has them all. `runner` counts, `opened` reads what was counted.
"""
