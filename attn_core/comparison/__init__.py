"""Subjects held against each other: models, their controls, texts, settings, stages of training.

subjects   what is compared, its layers on one scale of depth, its findings, what nearly all have in common
match      which head of one model is most like which head of another, over the same words
paired     differences between two studies, with intervals over texts
files      all of it as tables
"""
