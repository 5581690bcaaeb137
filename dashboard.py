"""The dashboard. Run with `streamlit run dashboard.py`."""

from streamlit.starlette import App

if __name__ == "__main__":  # a session runs this file to show Home
    from attn_core.ui.home.page import show_home

    show_home()
else:  # Streamlit's server imports it, and serves the app that it finds
    from attn_core.ui.shell.server import GUARDS, open_browser

    app = App(__file__, middleware=GUARDS, lifespan=open_browser)
