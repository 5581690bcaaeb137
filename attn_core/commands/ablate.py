"""`ablate TEXTS --out FOLDER`: the effects of removing heads, which heads matter, and how many can be removed."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attn_core.commands.options import CORPUS, add_model, add_options, path, say_encodings, under_control
from attn_core.commands.study import TEXTS, chosen_corpus
from attn_core.commands.workers import add_workers, with_workers
from attn_core.errors import InputError
from attn_core.io.paths import printable
from attn_core.models.files import ModelSpec
from attn_core.models.records import LoadedModel
from attn_core.models.removal import REPLACEMENTS, Removal, named_heads

if TYPE_CHECKING:
    from attn_core.interventions.ablation import Ablation
    from attn_core.interventions.worker import Task

OF_ALL: "dict[Task, str]" = {
    "importance": "the effect of each head removed alone",
    "curve": "importance, and the effect of more and more heads, ordered by half of the texts and measured on the rest",
}
PRINTED = ("effects", "accuracy")  # tables


def add_command(commands: Any) -> None:
    """Add `ablate` to the subcommands of a parser."""
    parser = commands.add_parser("ablate", help="remove heads: what follows, which heads matter, how many can go")
    parser.add_argument("texts", help=TEXTS)
    parser.add_argument("--out", type=path, help="folder of the tables, required; the same command goes on in it")
    group = parser.add_mutually_exclusive_group()
    heads = "heads to remove together: L3H10 a head, L5 a layer, H2 that head in every layer"
    group.add_argument("--heads", nargs="+", metavar="HEAD", help=heads)
    for what, meaning in OF_ALL.items():
        group.add_argument(f"--{what}", action="store_true", help=meaning)
    parser.add_argument(
        "--replace", choices=REPLACEMENTS, default="mean", help="what takes their place (default: mean)"
    )
    order = "with --curve: which heads go first, the least important (importance, default) or a role (role:NAME)"
    parser.add_argument("--order", default="importance", help=order)
    labels = "with --heads or --curve: a table with the columns text and label, for the accuracy of a classifier"
    parser.add_argument("--labels", type=path, metavar="FILE", help=labels)
    saved = "with --heads: the model without these heads, for plain transformers"
    parser.add_argument("--save", type=path, metavar="FOLDER", help=saved)
    add_options(parser, *CORPUS)
    add_model(parser)
    add_options(parser, "layout", "seed")
    add_workers(parser, default=1)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    what: Task | None = "heads" if options.heads else next((name for name in OF_ALL if getattr(options, name)), None)
    if what is None:
        of_all = " or ".join(f"--{name} ({meaning})" for name, meaning in OF_ALL.items())
        raise InputError(f"Say what is removed, and the folder, --out: --heads (L3H10 a head, L5 a layer), {of_all}.")
    if options.out is None:
        raise InputError("Name the folder of the tables with --out.")
    corpus = chosen_corpus(options)
    if options.save is not None and options.heads is None:
        raise InputError("A model is saved without the heads that --heads names: name them, or leave --save out.")

    from attn_core.interventions.ablation import about, answers, card
    from attn_core.interventions.runner import run_ablation
    from attn_core.interventions.worker import AblationSettings
    from attn_core.models.saving import save_without

    given = {name: getattr(options, name) for name in ("replace", "labels", "layout", "language", "seed", "order")}
    settings = AblationSettings(what, tuple(options.heads or ()), **given)
    spec = under_control(options)[0]
    saved = None if options.save is None else _to_save(spec, options)
    ablation = with_workers(options, run_ablation, corpus, spec, options.out, settings)
    print("\n\n".join([about(ablation), *answers(ablation), *_tables(ablation)]))
    print(f"\nAll tables in {printable(ablation.folder / 'tables')}")
    say_encodings(ablation.provenance["assumed_encodings"])
    if saved is not None:
        files = save_without(*saved, options.save, card(ablation))
        print(f"The model without these heads: {printable(options.save)} ({files})")


def _tables(ablation: "Ablation") -> Iterator[str]:
    """The main tables in Markdown."""
    from attn_core.charts.catalogue import Tables
    from attn_core.report.cells import in_markdown

    for name in filter(ablation.has, PRINTED):
        yield in_markdown(Tables(ablation.kind, PRINTED, ablation.table), name, ablation.table(name))


def _to_save(spec: ModelSpec, options: argparse.Namespace) -> tuple[LoadedModel, Removal]:
    """The model and the heads to remove from it, checked before anything is measured."""
    from attn_core.models.loading import model_of
    from attn_core.models.saving import check_saving

    folder, out = Path(options.save).resolve(), Path(options.out).resolve()
    if out in (folder, *folder.parents):
        raise InputError("The model cannot be saved into the folder of the tables: name another one.")
    model = model_of(spec)
    removal = Removal(named_heads(options.heads, model.layers, model.heads), options.replace)
    check_saving(model, removal, options.save)
    return model, removal
