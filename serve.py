"""The dashboard as a server that answers to its own pages only. Run with `streamlit run serve.py`."""

from starlette.middleware import Middleware
from streamlit.starlette import App

from attn_core.ui.shell.own_origin import OwnOriginOnly

app = App("dashboard.py", middleware=[Middleware(OwnOriginOnly)])
