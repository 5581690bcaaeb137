"""Rules find the pairs that a reader would, and an expression cannot hang the page."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_core.errors import InputError
from attn_core.patterns.rules import MOST_PAIRS, RULES, OwnRule, TextWords, names_in, often_together, pairs_of


def words(text: str) -> TextWords:
    """Words between blanks; a full stop ends a sentence."""
    parts = text.split()
    ends = [sum(part == "." for part in parts[:at]) for at in range(len(parts))]
    return TextWords(tuple(parts), tuple(ends))


@pytest.mark.parametrize(
    ("rule", "text", "expected"),
    [
        ("Same word again", "The tide and the tide , the end", [("the", "The"), ("tide", "tide"), ("the", "the")]),
        ("Same word in another form", "A tide rose while tides rose", [("tides", "tide")]),
        ("Same word in another form", "My sea and seas , an ox and oxs", [("seas", "sea")]),  # three letters at least
        ("Opening and closing bracket or quotation mark", 'He ( or [ she ] ) said " no " to ) it',
         [("[", "]"), ("(", ")"), ('"', '"')]),
        ("Pronoun and the name before it", "Once Ann left . Then he saw Bob and she left",
         [("he", "Ann"), ("she", "Bob")]),
        ("Name and another name before it", "Once Ann met Bob . There Bob saw Ann",
         [("Bob", "Ann"), ("Bob", "Ann"), ("Ann", "Bob")]),
        ("Punctuation mark and another before it", "So , it , rose . No !", [(".", ","), ("!", ".")]),
        ("Number and the number before it", "In 1999 and 2,000 or 5%", [("2,000", "1999"), ("5%", "2,000")]),
        ("Negation and the word after it", "I did not know . Nor don't go not", [("not", "know"), ("don't", "go")]),
    ],
)  # fmt: skip
def test_a_rule_finds_its_pairs(rule: str, text: str, expected: list[tuple[str, str]]) -> None:
    read = words(text)
    assert [(read.words[a], read.words[b]) for a, b in RULES[rule](read)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Once Ann left in October before she wrote", ["Ann"]),
        ("He saw that Saturdays bored the Italian Ann so she left", ["Ann"]),
        ("By May Bob was well , and on the Sunday he rose", ["Bob"]),
        ("Once Dawn French met Jane March in March and she left", ["Dawn", "French", "Jane", "March"]),
        ('Ann met Bob , and " Come here , " said Carl as she came', ["Bob", "Carl"]),
        ('" Nonsense ! " cried Ann . She laughed', ["Ann"]),
    ],
)
def test_a_day_a_month_a_people_and_what_opens_a_quotation_name_nobody(text: str, expected: list[str]) -> None:
    read = words(text)
    she = next(at for at in reversed(range(len(read))) if read.words[at].lower() in ("she", "he"))
    assert list(dict.fromkeys(read.words[at] for at in names_in(read) if at < she)) == expected


@given(
    st.lists(st.lists(st.sampled_from(["tide", "Tides", "sea", "boat", "the", "rope", ","]), max_size=6), max_size=6)
)
def test_words_often_together_are_those_of_all_pairs_of_places(sentences: list[list[str]]) -> None:
    read = words(" ".join(" ".join([*sentence, "."]) for sentence in sentences))
    stems = {"tide": "tide", "Tides": "tide", "sea": "sea", "boat": "boat", "rope": "rope"}
    inside = [{stems[word] for word in sentence if word in stems} for sentence in sentences]
    expected = [
        (b, a)
        for b in range(len(read))
        for a in range(b)
        if read.sentences[a] != read.sentences[b]
        and len(both := {stems.get(read.words[place], "") for place in (a, b)} - {""}) == 2
        and sum(both <= one for one in inside) > 1
    ]
    assert often_together(read) == expected


def test_of_many_words_often_together_some_pairs_are_drawn() -> None:
    read = TextWords(("tide", "sea") * 3_000, tuple(place // 2 for place in range(6_000)))
    pairs = often_together(read)
    assert MOST_PAIRS - 50 < len(pairs) <= MOST_PAIRS and pairs == often_together(read)
    assert len({first for first, _ in pairs}) > 2_000 and len(set(pairs)) == len(pairs)
    assert all({read.words[a], read.words[b]} == {"tide", "sea"} and a // 2 != b // 2 for a, b in pairs)


def test_no_rule_pairs_a_word_with_itself() -> None:
    read = words("tide tide tides ( ) he She 1 2 not know . tide ( 1")
    own = OwnRule(".*", ".*", "either", 3, within=False)
    for pairs in (*(rule(read) for rule in RULES.values()), own.pairs(read), pairs_of(((1, 1), (0, 2), (3, 99)), read)):
        assert all(a != b for a, b in pairs)
    assert pairs_of(((1, 1), (0, 2), (3, 99)), read) == [(0, 2)]


def test_a_rule_of_ones_own_keeps_direction_distance_and_sentence() -> None:
    read = words("a b a b . b a")
    assert OwnRule("a", "b", "forward", 1).pairs(read) == [(0, 1), (2, 3)]
    assert OwnRule("a", "b", "backward", 9, within=False).pairs(read) == [(2, 1), (6, 1), (6, 3), (6, 5)]
    assert OwnRule("a", "b", "either", 9).pairs(read) == [(0, 1), (0, 3), (2, 1), (2, 3), (6, 5)]
    assert OwnRule("a|b", "b", "forward", 9, different=True).pairs(read) == [(0, 1), (0, 3), (2, 3)]


def test_a_rule_that_pairs_nearly_everything_is_refused_before_its_pairs_take_memory() -> None:
    every = TextWords(("a",) * 20_000, (0,) * 20_000)
    with pytest.raises(InputError, match="over 5,000 pairs"):
        OwnRule("a", "a", farthest=10**9).pairs(every)
