"""A model at several steps of its training: the same question asked of each, kept in one folder.

`runner` makes the same study of every step, from revisions of a hub model or from the checkpoints that a training has left
(`sources`); it writes steps (`folder`), which `opened` puts together.
"""
