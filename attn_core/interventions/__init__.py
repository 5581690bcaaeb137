"""What heads matter: effects of taking them away, their importance, how many can go, and what follows for the others.

Which heads put out what is carried out by the capture path (`models.running_change`); here it is chosen and measured.
"""
