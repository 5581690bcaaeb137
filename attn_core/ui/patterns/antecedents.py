"""Whom each pronoun of the shown window means, on the Patterns page."""

import numpy as np
import pandas as pd
import streamlit as st

from attn_core.errors import InputError
from attn_core.patterns.rules import PRONOUNS, RULES, Sought, names_before, pronoun_and_name
from attn_core.ui.caches import readings
from attn_core.ui.patterns.choice import provenance
from attn_core.ui.shell.view import TextView
from attn_core.ui.widgets import show
from attn_core.ui.widgets.escape import plain
from attn_core.ui.widgets.sections import section

RULE = next(name for name, rule in RULES.items() if rule is pronoun_and_name)


def show_antecedents(view: TextView, sought: Sought) -> None:
    """Whom each pronoun of the shown window means, where the pattern is that of pronouns and heads are known for the model."""
    from attn_core.patterns.antecedent import answers, known_heads

    if sought != RULE:
        return
    choice = view.choice
    text, _, outputs = readings.word_outputs(choice.key.at(view.window.passage.index))
    asked = [(at, names_before(text, at)) for at, word in enumerate(text.words) if word.casefold() in PRONOUNS]
    asked = [(word, names) for word, names in asked if len(names) > 1]
    section("Whom does the pronoun mean?")
    try:
        heads = known_heads(view.results.reading.model)
    except InputError as error:
        st.caption(f":material/info: {plain(error)}")
        return
    st.caption(
        f"The {len(heads)} heads that GAP's development set chose, of which none was trained for it: 79% right [77, 81] where "
        "the nearest name is right in 51% [49, 54] (docs/results.md). These heads did not choose themselves on this text, but "
        "the pattern above is another one: the nearest name."
    )
    rows = []
    for (word, names), scores in zip(asked, answers(outputs, heads, asked), strict=True):
        order = np.argsort(-scores)
        rows.append(
            {
                "pronoun": text.words[word], "likely_name": text.words[names[order[0]]], "nearest_name": text.words[names[-1]],
                "lead": scores[order[0]] - scores[order[1]], "word": word,
                "among": ", ".join(text.words[name] for name in names),
            }
        )  # fmt: skip
    show.table(pd.DataFrame(rows), "antecedents", provenance(view, sought) | {"heads_of_answer": str(heads)})
