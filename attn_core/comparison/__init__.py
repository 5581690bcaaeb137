"""Subjects held against each other: models, their controls, texts, settings, stages of training.

subjects   what is compared, its layers on one scale of depth, its findings
match      which head of one model is most like which head of another, over the same words
differences  the effect of each claim in two subjects, and the interval of the difference
causes     what is learned, what is language: a subject against its controls
paired     differences between two studies, with intervals over texts
tables     all of it as tables
"""
