"""The claims of the paper: one effect each with its thresholds, the verdicts on it, and the table of a subject."""
