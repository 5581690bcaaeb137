"""Runs of the program in the background: chosen, started, watched, opened, deleted; and short work of a session."""
