"""`patterns TEXTS --out FOLDER`: which heads see which relation of annotated texts, or which pattern in a corpus."""

import argparse
from typing import TYPE_CHECKING, Any

from attn_core.commands.options import under_control
from attn_core.commands.study import TEXTS, chosen_corpus
from attn_core.commands.workers import add_workers, settle_workers, with_workers
from attn_core.errors import InputError
from attn_core.io.paths import shown, typed_path
from attn_core.options import CORPUS, add_model, add_options, path, positive

if TYPE_CHECKING:
    from attn_core.patterns.files import AnnotatedFiles
    from attn_core.patterns.ruled import RuledCorpus

ROWS = 16  # relations that are printed
RULES = "same_word, other_form, brackets, pronoun_and_name, names, punctuation, numbers, negations"  # those of patterns/rules.py


def add_command(commands: Any) -> None:
    """Add `patterns` to the subcommands of a parser."""
    parser = commands.add_parser(
        "patterns",
        help="score every head on dependencies, coreference, pronouns, or pairs that rules find",
        description="Without a rule the texts are annotated: CoNLL-U (.conllu) or GAP (.tsv), packed or not. "
        f"With one they are {TEXTS}.",
    )
    parser.add_argument("texts", nargs="+", metavar="TEXTS", help="annotated files; with a rule, any texts")
    parser.add_argument("--out", type=path, required=True, help="folder of the scores; the same command goes on in it")
    rules = parser.add_argument_group("rules, as many as you like")
    rules.add_argument("--rule", action="append", default=[], metavar="RULE", help=f"a rule by name: {RULES}")
    rules.add_argument(
        "--own",
        nargs=3,
        action="append",
        default=[],
        metavar=("NAME", "FIRST", "SECOND"),
        help="a pattern of words that two regular expressions match whole; those of one name are one pattern",
    )
    rules.add_argument(
        "--direction",
        choices=["forward", "backward", "either"],
        default="forward",
        help="of --own: where the second word stands, seen from the first (default: forward)",
    )
    rules.add_argument(
        "--farthest", type=positive, default=20, help="of --own: largest distance in words (default: 20)"
    )
    rules.add_argument("--across", action="store_true", help="of --own: pairs across sentences too")
    rules.add_argument("--different", action="store_true", help="of --own: no pair of one word with itself")
    add_options(parser.add_argument_group("texts in which rules look"), *CORPUS)
    add_model(parser)
    add_options(parser, "layout")
    add_workers(parser)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    given = _texts(options)
    given.check()  # what is wrong with texts or rules is told before a model is loaded

    from attn_core.patterns.opened import printed
    from attn_core.patterns.runner import PatternSettings, score_patterns

    settings, spec = PatternSettings(options.layout), under_control(options)[0]
    settle_workers(options, given.lengths(), [spec])
    scores = with_workers(options, score_patterns, given, spec, options.out, settings)
    if not scores.has("relations"):
        raise InputError(f"No pair could be scored; texts.csv in {shown(scores.folder / 'tables')} tells of each text.")
    print(printed(scores, ROWS))
    print(f"\nAll tables in {shown(scores.folder / 'tables')}")


def _texts(options: argparse.Namespace) -> "AnnotatedFiles | RuledCorpus":
    """Annotated files; or a corpus and the rules that are asked for."""
    if not options.rule and not options.own:
        from attn_core.patterns.files import annotated_files

        return annotated_files([typed_path(text) for text in options.texts])

    from attn_core.patterns.ruled import RuledCorpus, rule_named
    from attn_core.patterns.rules import OwnRule

    if len(options.texts) > 1:
        raise InputError("Rules look at one corpus: give a folder, or a glob in quotes.")
    named = [rule_named(name) for name in options.rule]
    for name, first, second in options.own:
        if not name.isprintable():
            raise InputError(f"The rule {shown(name)} needs a name that can be printed: letters, digits and the like.")
        found = OwnRule(first, second, options.direction, options.farthest, not options.across, options.different)
        named.append((name, found))
    return RuledCorpus(chosen_corpus(options.texts[0], options), tuple(named), options.language)
