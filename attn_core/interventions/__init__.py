"""What heads matter: effects of their removal, their importance, and how many can go.

How heads are removed is in `models.ablation`; here it is chosen and measured.
"""
