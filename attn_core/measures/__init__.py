"""From strong pairs to numbers: a question about heads a file, each number beside its chance level."""
