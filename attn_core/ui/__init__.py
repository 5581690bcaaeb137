"""Everything of streamlit that is not a page: the caches, the sidebar, the frame of a page, how charts and tables appear."""
