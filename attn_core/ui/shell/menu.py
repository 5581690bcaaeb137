"""The menu: every page under the question that it belongs to."""

import streamlit as st

HOME = "dashboard.py"
MENU = {
    "This text": {
        "Home": HOME,
        "Heads": "pages/1_Heads.py",
        "Distances": "pages/2_Distances.py",
        "Specialization": "pages/3_Specialization.py",
        "Anchor tokens": "pages/4_Anchor_tokens.py",
        "Segmentation": "pages/5_Segmentation.py",
        "Patterns": "pages/8_Patterns.py",
    },
    "What follows": {"Interventions": "pages/9_Interventions.py", "Compare": "pages/7_Compare.py"},
    "Over many texts": {
        "Corpus": "pages/6_Corpus.py",
        "Findings": "pages/10_Findings.py",
        "Training": "pages/11_Training.py",
    },
}
PAGES = {name: file for pages in MENU.values() for name, file in pages.items()}


def show_menu() -> None:
    """Links in groups, at the top of the sidebar; that to the page itself is marked by Streamlit.

    Streamlit's own menu has no groups unless `st.navigation` runs the pages, which a deep link on a fresh server, that runs
    the page's file first, does without.
    """
    with st.sidebar, st.container(gap=None, key="menu"):
        for group, pages in MENU.items():
            st.html(f"<p class='group'>{group}</p>")
            for name, file in pages.items():
                st.page_link(file, label=name)
