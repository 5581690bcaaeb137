"""The report of removed heads says what its tables say, each number beside its chance level."""

import json
import shlex
from pathlib import Path

import numpy as np
import pandas as pd

from attn_core.__main__ import _parser
from attn_core.interventions.opened import Ablation, answers
from attn_core.interventions.orders import LEAST
from attn_core.interventions.tables import curve_table, effect_row, entropies_table, importance_table
from attn_core.io.tables import to_parquet
from attn_core.report import commands
from attn_core.report.document import Report, Section
from attn_core.report.of_ablation import of_ablation

ABOUT = {
    "model": "someone/model", "revision": "sha256:0f", "corpus_sha256": "ab", "layout": "plain", "language": "en", "seed": 3,
    "order": "importance", "replace": "zero", "units": "texts", "units_read": 6, "texts": 6,
    "bad_texts": 1, "labels_sha256": None,
}  # fmt: skip


def ablation(what: str, heads: list[str], **tables: pd.DataFrame) -> Ablation:
    """An opened folder with these tables."""
    about = ABOUT | {"what": what, "removed": " ".join(heads)}
    manifest = {
        "model": {"name": "someone/model", "layers": 2, "heads": 3},
        "corpus": {"source": "/where/it/lies/novels", "documents": "file", "column": None, "limit": None},
        "settings": {
            name: about[name] for name in ("what", "replace", "layout", "language", "seed", "labels_sha256", "order")
        }
        | {"heads": heads},
    }
    stored = {f"{name}.parquet": to_parquet(table, about) for name, table in tables.items()}
    return Ablation(Path("novels"), manifest, stored | {"provenance.json": json.dumps(about).encode()})


def of_all() -> Ablation:
    generator = np.random.default_rng(0)
    effects = generator.uniform(0.01, 0.2, (6, 2, 3))
    curve = curve_table({LEAST: effects[:, 0]}, [1, 2, 3], generator.uniform(0.1, 0.3, (20, 6, 3)))
    importance = importance_table(effects, effects, generator.uniform(size=6), 0.1)
    return ablation("curve", [], importance=importance, curve=curve)


def of_some() -> Ablation:
    drawn = np.random.default_rng(1).uniform(0.1, 0.5, (6, 22))
    rows = [effect_row("sentence embedding", drawn[:, 1:]), effect_row("loss in bits", 3 * drawn[:, 1:])]
    return ablation("heads", ["L1H2", "L2H3"], effects=pd.DataFrame(rows))


def of_entropy() -> Ablation:
    entropy = np.random.default_rng(2).uniform(2, 9, (6, 3))
    table = entropies_table(entropy, entropy + 1, 120, 7.25)
    return ablation("entropy", [], entropies=table)


def part(report: Report, heading: str) -> Section:
    return next(section for section in report.sections if section.heading.startswith(heading))


def test_heads_stand_by_importance() -> None:
    opened = of_all()
    report = of_ablation(opened, False)
    heads = part(report, "Tables").tables[-1]
    first = opened.table("importance").nlargest(1, "effect").iloc[0]
    assert len(heads.rows) == 6 and heads.rows[0][0] == f"L{first['layer']:.0f}H{first['head']:.0f}"
    value, low, high = (f"{100 * first[name]:.2f}" for name in ("effect", "low", "high"))
    assert heads.rows[0][1] == f"{value}% [{low}, {high}]"
    assert heads.rows[0][0] in part(report, "In short").told[2]


def test_the_curve_stands_beside_random_orders() -> None:
    opened = of_all()
    report = of_ablation(opened, False)
    importance, curve = part(report, "In short").figures
    assert "2 layers by 3 heads" in importance.alt
    assert LEAST in curve.alt and "random orders" in curve.alt
    counts, effect, high = (opened.table("curve")[:3][name].to_numpy() for name in ("removed", "effect", "high"))
    can, surely = (
        max([n for n, one in zip(counts, of, strict=True) if one <= 0.05], default=0) for of in (effect, high)
    )
    assert f"{LEAST} {can} [{surely}]; random " in part(report, "In short").told[1]


def test_the_file_of_labels_is_named_in_the_command() -> None:
    opened = of_some()
    opened.manifest["settings"] |= {"labels_sha256": "0a"}
    first = commands.of_ablation(opened.manifest).splitlines()[0]
    options = _parser().parse_args(shlex.split(first)[3:])
    assert options.labels is not None


def test_some_heads_are_crossed_on_the_map_and_held_against_random_ones() -> None:
    opened = of_some()
    report = of_ablation(opened, False)
    assert "L1H2 L2H3 of model" in report.title
    (effects,) = part(report, "In short").tables
    embedding, loss = opened.table("effects").to_dict("records")
    assert effects.rows[0][1].startswith(f"{100 * embedding['effect']:.2f}%")
    assert effects.rows[0][2].startswith(f"{100 * embedding['chance_effect']:.2f}%")
    assert effects.rows[1][1].startswith(f"{loss['effect']:+.3f} [") and "%" not in effects.rows[1][1]
    (drawn,) = part(report, "In short").figures
    assert "off: 2" in drawn.alt


def test_what_follows_is_told_beside_random_heads_and_judged_by_both_intervals() -> None:
    (told,) = answers(of_some())
    (row,) = of_some().table("effects")[:1].to_dict("records")
    low, high = (f"{100 * row[name]:.2f}" for name in ("low", "high"))
    assert told.startswith(
        f"Without L1H2, L2H3 the sentence embedding moves by {100 * row['effect']:.2f}% [{low}, {high}]"
    )
    assert f"{100 * row['chance_effect']:.2f}% [" in told
    assert told.endswith("(mean, lowest and highest of 20 sets): not distinguishable from them.")
    generator = np.random.default_rng(3)
    for own, verdict in ((0.9, "more than any of them"), (0.01, "less than any of them")):
        by_text = np.hstack([generator.normal(own, 0.001, (6, 1)), generator.uniform(0.3, 0.5, (6, 20))])
        effects = pd.DataFrame([effect_row("sentence embedding", by_text)])
        (told,) = answers(ablation("heads", ["L1H2"], effects=effects))
        assert told.endswith(f": {verdict}.")
    alone = pd.DataFrame([effect_row("sentence embedding", generator.uniform(0.3, 0.5, (6, 1)))])
    (told,) = answers(ablation("heads", ["L1"], effects=alone))
    assert "no other heads of them could be the chance level" in told and "–" not in told


def test_entropy_stands_by_layer_beside_an_even_guess() -> None:
    opened = of_entropy()
    report = of_ablation(opened, False)
    told = opened.table("entropies")
    assert report.title.startswith("How sure of a word, layer by layer, is model")
    (table,) = part(report, "In short").tables
    assert len(table.rows) == 3 and {row[-1] for row in table.rows} == {"7.25"}
    assert table.rows[2][2].startswith(f"{told['entropy'][2]:.2f} [{told['entropy_low'][2]:.2f}, ")
    (drawn,) = part(report, "In short").figures
    assert "7.25" in drawn.alt
    steps = told["entropy"].diff()
    assert f"Entropy falls in {(steps < 0).sum()} of 2 steps" in part(report, "In short").told[1]


def test_its_command_asks_for_the_same_again_and_tells_no_folder() -> None:
    for opened in (of_all(), of_some(), of_entropy()):
        first = commands.of_ablation(opened.manifest).splitlines()[0]
        options = _parser().parse_args(shlex.split(first)[3:])
        assert (options.texts, options.replace, options.seed, options.model) == ("novels", "zero", 3, "someone/model")
        assert [options.curve, options.entropy].count(True) == (opened.manifest["settings"]["what"] != "heads")
        assert (options.heads or []) == opened.manifest["settings"]["heads"]
