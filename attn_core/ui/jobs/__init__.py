"""Work in the background: studies that are started, watched, found again and deleted."""
