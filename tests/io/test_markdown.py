"""Tables in Markdown."""

from attn_core.io.tables import markdown


def test_a_bar_in_a_name_stays_in_its_cell() -> None:
    assert markdown(["rule", "pairs"], [["a|b", 3]]) == "| rule | pairs |\n|---|---|\n| a\\|b | 3 |"
