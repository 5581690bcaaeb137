"""Patterns: word pairs of one kind in texts, and the heads that see them.

    text, rule or annotation --rules, conllu, gap--> Relation --scores--> tables

A head sees a pattern if its pairs are more alike than pairs of the same text at like distance.
"""
