"""Two subjects on one text: models, their baselines, layouts, settings.

differences  their layers on one scale of depth, their heads in their places, and all of it as tables
match        which head of one model is most like which head of another, over the same words
"""
