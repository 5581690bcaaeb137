"""What is a little word of a language, and the stems of the others, for what looks for words of content."""

from collections.abc import Callable

from attn_core.texts.languages import WORDS

STEMMERS = {"de": "german", "fr": "french", "es": "spanish", "it": "italian", "nl": "dutch", "pt": "portuguese"}


def little_words(language: str) -> frozenset[str]:
    """Words that name nothing: scikit-learn's list for English, else the commonest ones of the language."""
    if language == "en":
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS  # scikit-learn takes seconds to import

        return ENGLISH_STOP_WORDS
    return frozenset(WORDS.get(language, "").split())


def stemmer(language: str) -> Callable[[str], str]:
    """Snowball's stemmer of a language, the English one where it has none."""
    from nltk.stem.snowball import SnowballStemmer  # nltk takes most of a second to import

    return SnowballStemmer(STEMMERS.get(language, "english")).stem
