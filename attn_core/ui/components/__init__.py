"""The project's own Streamlit components: maps, a shaded text, a text whose words make pairs."""
