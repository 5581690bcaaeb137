"""The whole way for one text, from reading to tables."""
