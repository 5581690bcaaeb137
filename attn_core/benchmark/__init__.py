"""What the analysis, a study and the dashboard cost beside the model itself: `python -m attn_core benchmark`."""
