"""Everything of streamlit that is not a page: caches, sidebar, widgets, and how charts and tables appear."""
