"""Parts of the page Interventions: what heads matter, and what a word does."""
