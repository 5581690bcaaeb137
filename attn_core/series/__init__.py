"""A model at several steps of its training: the same question asked of each, kept in one folder.

Two ways lead there. `runner` makes the same study of every step, from revisions of a hub model or from the checkpoints
that a training has left (`sources`); `callback` looks while a model trains. Both write the same steps (`folder`), which
`opened` puts together.
"""
