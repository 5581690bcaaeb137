"""How many heads can go, the least important or those of a role first, beside random orders."""

from dataclasses import replace

from attn_core.charts.interventions import pruning
from attn_core.head import Head
from attn_core.interventions.orders import LEAST, at_random, by_role, by_value, counts_up_to, heads_that_can_go
from attn_core.interventions.tables import RANDOM, curve_table
from attn_core.measures.roles import FEW
from attn_core.texts.reference_texts import reference_texts
from attn_core.ui import removals
from attn_core.ui.choice import TextKey
from attn_core.ui.interventions.removed_heads import Removed
from attn_core.ui.shell.view import View
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import number_input, one_of

LARGEST = 1.0  # percent that the embedding may move


def show_curve(view: View, removed: Removed) -> None:
    """The effect by the number of removed heads, in one order and in random ones."""
    roles = view.results.statistics["role"].tolist()
    orders = {LEAST: ""} | {f"{role} first": role for role in dict.fromkeys(roles) if role != FEW.name}
    with show.facts():
        largest = number_input("Largest change, %", 0.1, 100.0, LARGEST, 0.5, key="largest", width=170)
        name = one_of("Order", list(orders), "order", width=220)
        place = show.facts()
    every = [_order(removed, roles, orders[name]), *at_random(removed.shape)]
    counts = counts_up_to(len(roles))
    sets = [tuple(sorted(order[:count])) for order in every for count in counts]
    effects = removals.effects(removed.key, sets, removed.how, "Removing more and more heads").reshape(len(every), -1)
    own, *by_chance = (heads_that_can_go(counts, one, largest / 100) for one in effects)
    with place:
        chance = f"in random orders: {min(by_chance)} to {max(by_chance)}"
        show.beside_chance("Heads that can go", f"{own} of {len(roles)}", chance, "Of the numbers that are marked.")
    table = curve_table({name: effects[:1]}, counts, effects[1:, None])
    figure = pruning(table, RANDOM, largest / 100)
    show.chart(figure, "pruning-curve", "Effect on the sentence embedding by the number of removed heads")
    file, _ = _other_text(removed)
    choices = {"replaced_by": removed.how, "orders_chosen_on": file}
    show.table(table, "pruning-curve", show.shares("effect", "low", "high"), choices=choices)


def _order(removed: Removed, roles: list[str], first: str) -> list[Head]:
    """The heads by their importance in another text, so that the order is not chosen on what it is measured on."""
    _, key = _other_text(removed)
    importance = removals.estimate(key, removed.how)
    return by_role(roles, first, importance) if first else by_value(importance)


def _other_text(removed: Removed) -> tuple[str, TextKey]:
    """The first reference text: its file, and its first window."""
    file, document = next(iter(reference_texts(removals.passage_of(removed.key).document.text).items()))
    return file, replace(removed.key, text=document.text, language=document.language, window=0)
