"""What heads matter: effects of their removal, their importance, and how many can go.

`models.ablation` removes heads; this package chooses them and measures the effects.
"""
