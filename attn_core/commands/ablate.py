"""`ablate TEXTS --out FOLDER`: what follows when heads are removed, which matter, and how many can go."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attn_core.commands.options import add_model, from_zero, path, under_control
from attn_core.commands.study import TEXTS, add_corpus, chosen_corpus
from attn_core.commands.workers import add_workers, with_workers
from attn_core.errors import InputError
from attn_core.io.paths import shown
from attn_core.texts.passages import LAYOUTS

if TYPE_CHECKING:
    from attn_core.interventions.settings import AblationSettings
    from attn_core.models.files import ModelSpec

REPLACE = ("mean", "zero", "resample", "even")


def add_command(commands: Any) -> None:
    """Add `ablate` to the subcommands of a parser."""
    parser = commands.add_parser("ablate", help="remove heads: what follows, which heads matter, how many can go")
    parser.add_argument("texts", help=TEXTS)
    parser.add_argument("--out", type=path, required=True, help="folder of the tables; the same command goes on in it")
    asked = parser.add_mutually_exclusive_group(required=True)
    asked.add_argument(
        "--heads",
        nargs="+",
        metavar="HEAD",
        help="heads to remove together: L3H10 a head, L5 a layer, H2 that head in every layer",
    )
    asked.add_argument("--importance", action="store_true", help="the effect of each head removed alone")
    asked.add_argument(
        "--curve",
        action="store_true",
        help="importance, and the effect of ever more heads: orders chosen on every second text, shown on the others",
    )
    parser.add_argument(
        "--replace", choices=REPLACE, default="mean", help="what removed heads put out instead (default: mean)"
    )
    parser.add_argument(
        "--labels",
        type=path,
        metavar="FILE",
        help="a CSV with the columns text and label: accuracy of a classifier too",
    )
    parser.add_argument(
        "--save",
        type=path,
        metavar="FOLDER",
        help="with --heads: the model without them, as plain transformers loads it",
    )
    add_corpus(parser)
    add_model(parser)
    parser.add_argument("--layout", choices=LAYOUTS, default="plain")
    parser.add_argument("--seed", type=from_zero, default=0, help="of what is drawn (default: 0)")
    add_workers(parser)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    corpus = chosen_corpus(options.texts, options)
    corpus.check()
    if options.save is not None and options.heads is None:
        raise InputError("A model is saved without the heads that --heads names: name them, or leave --save out.")

    from attn_core.interventions.printed import printed
    from attn_core.interventions.runner import ablate
    from attn_core.interventions.settings import AblationSettings, What

    what: What = "heads" if options.heads else "importance" if options.importance else "curve"
    settings = AblationSettings(
        what,
        tuple(options.heads or ()),
        options.replace,
        options.labels,
        options.layout,
        options.language,
        options.seed,
    )
    settings.labelled()  # what is wrong with the labels is told before a model is loaded
    spec = under_control(options)[0]
    if options.save is not None:
        _refuse_saving(spec, settings, options.save, options.out)
    ablation = with_workers(options, ablate, corpus, spec, options.out, settings)
    print(printed(ablation))
    print(f"\nAll tables in {shown(ablation.folder / 'tables')}")
    if options.save is not None:
        from attn_core.interventions.card import card
        from attn_core.models.loading import model_of
        from attn_core.models.saving import save_without

        save_without(model_of(spec), _removal(spec, settings), options.save, card(ablation))
        print(f"The model without these heads: {shown(options.save)}")


def _removal(spec: "ModelSpec", settings: "AblationSettings") -> Any:
    from attn_core.models.intervention import Intervention, named_heads
    from attn_core.models.loading import model_of

    model = model_of(spec)
    return Intervention(named_heads(settings.heads, model.layers, model.heads), settings.replace)


def _refuse_saving(spec: "ModelSpec", settings: "AblationSettings", folder: Path, out: Path) -> None:
    """What would fail at the end fails before anything is measured."""
    from attn_core.models.loading import model_of
    from attn_core.models.saving import network_without, refuse_full

    if folder.resolve() == out.resolve() or out.resolve() in folder.resolve().parents:
        raise InputError("The model cannot be saved into the folder of the tables: name another one.")
    refuse_full(folder)
    network_without(model_of(spec), _removal(spec, settings))
