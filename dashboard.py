"""The dashboard. Run with `streamlit run dashboard.py`."""

if __name__ == "__main__":  # a session runs this file, whichever page it shows
    from attn_core.ui.shell.navigation import show

    show()
else:  # Streamlit's server imports it, and serves the app that it finds
    from streamlit.runtime.pages_manager import PagesManager
    from streamlit.starlette import App

    from attn_core.ui.shell.server import GUARDS, open_browser

    PagesManager.uses_pages_directory = False  # else the first session at /Heads would run pages/1_Heads.py alone
    app = App(__file__, middleware=GUARDS, lifespan=open_browser)
