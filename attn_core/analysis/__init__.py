"""The whole way for one text, from reading to tables, and what is kept of it."""
