"""The Patterns page: a rule at once, pairs that are marked, and what bad input gets."""

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from attn_core.models.files import ModelSpec
from attn_core.patterns.rules import RULES
from attn_core.study.runner import run_study
from tests.patterns.made_up import gap_file
from tests.study.made_up import write_texts
from tests.ui.pages import MARKED_PAIRS, OWN_RULE, described, opened

PAGE = "pages/6_Patterns.py"


def said(app: AppTest) -> str:
    """The sentence that answers."""
    (sentence,) = (
        block.value for block in app.markdown if re.search("pairs highest|Pairs: |Click a word", block.value)
    )
    return sentence


@pytest.mark.long
@pytest.mark.model
def test_one_visit() -> None:
    """One visit, since a page takes seconds to open: a rule, marks, an expression that is none."""
    app = opened(PAGE, **{"open-pattern-heads": "true"})
    assert app.selectbox(key="pattern").value == list(RULES)[-1]  # no pronoun of this text has a name
    app.selectbox(key="pattern").set_value(next(iter(RULES))).run()
    sentence = re.match(
        r"\*\*L(\d)H(\d+) ranks these (\d+) pairs highest \(([\d.]+)%\)\.\*\* .*: \*\*([\d.]+)%\*\*; chance: 50%",
        said(app),
    )
    assert sentence is not None
    heads = next(each.value for each in app.dataframe if "chance_score" in each.value)
    layer, head, pairs, score, held_out = map(float, sentence.groups())
    assert (layer, head, pairs) == tuple(heads.iloc[0][["layer", "head", "pairs"]]) and pairs > 100
    assert 50 < held_out <= score == round(heads["score"].max(), 1)
    assert described(app, "input embeddings")

    app.selectbox(key="pattern").set_value(MARKED_PAIRS).run()
    assert "Click a word" in said(app)
    for marks, number in {"3-9 5-5 12-40": 2, "3-9 12-40 3-9999": 2, "3-9": 1}.items():
        app.text_input(key="marks").set_value(marks).run()
        assert said(app) == f"**Pairs: {number}.** With fewer than 20 no head is named."
        assert [("3-9999" in warning.value) for warning in app.warning] == [True] * ("9999" in marks)

    app.selectbox(key="pattern").set_value(OWN_RULE).run()
    app.text_input(key="first").set_value("(").run()
    assert "is no regular expression" in app.warning[0].value
    assert not app.exception


@pytest.mark.usefixtures("tiny_default")
def test_a_study_with_relations_shows_them_and_another_is_not_offered(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, tiny: ModelSpec
) -> None:
    monkeypatch.setenv("ATTN_CORE_STUDIES", str(tmp_path / "studies"))
    plain = write_texts(tmp_path / "plain", {"plain.txt": "The tide rose, and the boats rose with it. " * 9})
    study = run_study(write_texts(tmp_path / "gap", {"gap.tsv": gap_file(50)}), tiny, tmp_path / "studies" / "gap")
    run_study(plain, tiny, tmp_path / "studies" / "plain")
    app = opened(PAGE, **{"open-relations": "true"})
    assert not app.exception
    chooser = app.selectbox(key="relations")
    assert chooser.value == "gap" and "plain" not in chooser.options
    table = study.of().table("relations").query("map == 'centred'")
    shown = next(each.value for each in app.dataframe if "pointing_heads" in each.value)
    assert shown["score"].tolist() == pytest.approx((100 * table["score"]).tolist())  # shown in percent
    assert any("similarity" in each.value.get("way", []).tolist() for each in app.dataframe if "way" in each.value)
