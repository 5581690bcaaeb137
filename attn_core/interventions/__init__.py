"""What heads matter: effects of taking them away, their importance, how many can go, and what follows for the others.

How heads are removed is in `models.ablation`; here it is chosen and measured.
"""
