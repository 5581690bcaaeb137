"""A report is one file that needs no other, says what the tables say, and quotes nothing unasked."""

import re
import shlex
import shutil
from base64 import b64decode
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path

import pytest

from attn_core.__main__ import _parser, main
from attn_core.analysis.one_text import Analysis, analyze
from attn_core.commands.options import chosen_settings, under_control
from attn_core.errors import InputError
from attn_core.head import Head
from attn_core.interventions.opened import open_ablation
from attn_core.io.table_folder import checked_provenance, write_tables
from attn_core.models.files import ModelSpec, Twin
from attn_core.models.removal import Removal
from attn_core.patterns.opened import open_patterns
from attn_core.report import commands
from attn_core.report.document import (
    ADDRESS,
    AUTHORS,
    JOURNAL,
    NAMES,
    PAPER,
    PROGRAM,
    VOLUME,
    YEAR,
    Report,
    Section,
    html,
    marked,
)
from attn_core.report.kinds import TextFolder, report_of_folder
from attn_core.report.of_results import of_text
from attn_core.runs.results import open_run
from attn_core.series.runner import run_series
from attn_core.series.sources import Source as Step
from attn_core.similarity.strong_pairs import Settings
from attn_core.similarity.words import Unit
from attn_core.study.corpus import Corpus
from attn_core.study.opened import open_study
from attn_core.study.settings import StudySettings
from tests.families import ENCODER_DECODERS, TEXT, save_tiny
from tests.places import assert_no_places
from tests.quick import quick_only
from tests.study.made_up import write_corpus

ROOT = Path(__file__).parents[2]
HOSTILE = "<img src=x onerror=alert(1)> </svg><script>alert(2)</script> & **bold** \u202eback."
OWN = f"{TEXT} {HOSTILE} {TEXT}"
LOADED = {"src", "srcset", "data", "poster", "background", "action", "formaction", "cite"}


@dataclass
class Seen(HTMLParser):
    """What a browser would find in a page."""

    tags: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    text: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text.append(data)

    @property
    def words(self) -> str:
        return " ".join(" ".join(self.text).split())


def seen(page: bytes) -> Seen:
    parser = Seen()
    parser.feed(page.decode())
    return parser


@pytest.fixture(scope="module")
def folders(tiny_folder: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """What the commands write, by the command."""
    out, model = tmp_path_factory.mktemp("reported"), str(tiny_folder("bert"))
    (out / "own.txt").write_text(OWN, encoding="utf-8")
    corpus = write_corpus(out / "corpus")
    (corpus / "hostile.txt").write_text(OWN, encoding="utf-8")
    given: dict[str, list[str]] = {
        "analyze": ["analyze", str(out / "own.txt"), "--model", model, "--share", "0.05", "--out"],
        "study": ["study", str(corpus), "--model", model, "--share", "0.05", "--out"],
        "compare": [
            "compare",
            model,
            f"{model}+untrained",
            f"{model}+shuffled",
            "--text",
            str(out / "own.txt"),
            "--out",
        ],
        "patterns": ["patterns", str(corpus), "--rule", "same_word", "--model", model, "--out"],
        "ablate": ["ablate", str(corpus), "--curve", "--model", model, "--out"],
        "reproduce": ["reproduce", str(corpus), "--models", model, "--windows", "1", "--twins", "1", "--out"],
    }

    class Made(dict[str, Path]):
        """Each made when it is first asked for."""

        def __missing__(self, name: str) -> Path:
            with redirect_stdout(StringIO()), redirect_stderr(StringIO()):  # no words among those of the test that asks
                if name == "series":
                    steps = [Step(number, f"step {number}", ModelSpec(model)) for number in (1, 2)]
                    run_series(model, steps, Corpus(str(corpus)), out / name, StudySettings())
                else:
                    assert main([*given[name], str(out / name)]) == 0
            self[name] = out / name
            return self[name]

    return Made()


KINDS = quick_only(("analyze", "study", "compare", "patterns", "ablate", "reproduce"), "analyze")


@pytest.mark.parametrize("kind", KINDS)
def test_a_report_needs_no_other_file_and_runs_nothing(folders: dict[str, Path], kind: str) -> None:
    page = html(report_of_folder(folders[kind], quote=True))
    assert b"<script" not in page and b"@import" not in page and b"url(" not in page
    found = seen(page)
    for tag, attributes in found.tags:
        assert tag not in ("script", "link", "iframe", "object", "embed", "base", "form")
        assert not [name for name in attributes if name.startswith("on")]
        for name, value in attributes.items():
            assert name not in LOADED or value.startswith("data:image/svg+xml;base64,")
            assert name != "href" or value.startswith("#")
    pictures = [attributes for tag, attributes in found.tags if tag == "img"]
    assert len(pictures) >= 2
    for picture in pictures:
        assert len(picture["alt"]) > 20
        drawn = b64decode(picture["src"].split(",", 1)[1]).decode()
        assert "<script" not in drawn and "<image" not in drawn
        assert {*re.findall(r"https?://[^\"' <]+", drawn)} <= {
            "http://www.w3.org/2000/svg",
            "http://www.w3.org/1999/xlink",
        }


@pytest.mark.parametrize("kind", KINDS)
def test_a_report_says_where_its_numbers_come_from_and_how_to_make_and_cite_it(
    folders: dict[str, Path], kind: str
) -> None:
    words = seen(html(report_of_folder(folders[kind], quote=False))).words
    for heading in (
        "The question",
        "Layer by layer" if kind == "compare" else "In short",
        "Figure 1.",
        "Limits",
        "Method",
        "To make it again",
        "How to cite this",
    ):
        assert heading in words
    print_of = {"analyze": "text sha256", "compare": "text sha256", "reproduce": "SHA-256"}.get(kind, "corpus sha256")
    assert print_of in words and f"python -m attn_core {kind}" in words and "@article{halevi2026" in words
    if kind in ("analyze", "compare"):
        assert sha256(OWN.encode()).hexdigest() in words


@pytest.mark.parametrize("kind", [*KINDS, *quick_only(["series"])])
def test_nothing_that_is_handed_on_says_where_it_was_made(folders: dict[str, Path], kind: str) -> None:
    """No path of this machine and no name of its user: in the report, and in every file of an export."""
    folder = folders[kind]
    files = {file.name: file.read_bytes() for file in _written(folder)}
    if made := open_run(folder):
        files |= made.files()
    for quote in (False, True):
        files[f"report {quote}.html"] = html(report_of_folder(folder, quote))
    assert_no_places(files, folder.parent)
    if kind == "study":
        assert b'"name": "bert"' in files["manifest.json"]


def _written(folder: Path) -> list[Path]:
    """The tables of a folder, which its page hands on."""
    tables = folder / "tables" if (folder / "tables").exists() else folder
    return [file for file in tables.iterdir() if file.is_file()]


@pytest.mark.parametrize("kind", KINDS)
def test_two_runs_give_the_same_bytes(folders: dict[str, Path], kind: str, tmp_path: Path) -> None:
    for name in ("one.html", "two.html"):
        assert main(["report", str(folders[kind]), "--out", str(tmp_path / name)]) == 0
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()


@pytest.mark.parametrize("kind", KINDS)
def test_a_text_is_quoted_where_the_reader_says_so_alone(folders: dict[str, Path], kind: str) -> None:
    """Four words of the text in a row; a single token, such as an anchor, is no quotation."""
    runs = {" ".join(OWN.split()[at : at + 4]) for at in range(len(OWN.split()) - 3)}
    bare, whole = (seen(html(report_of_folder(folders[kind], quote=quote))).words for quote in (False, True))
    assert not [run for run in runs if run in bare]
    if kind == "study":
        assert [run for run in runs if run.replace(" ", "") in whole.replace("[", "").replace("]", "").replace(" ", "")]
    if kind == "analyze":
        tokens = TextFolder(folders[kind], checked_provenance(folders[kind])).table("tokens")["token"]
        assert " ".join(tokens.head(6)) in whole and " ".join(tokens.head(6)) not in bare


def test_the_text_itself_is_quoted_as_it_is(tiny_folder: Callable[[str], Path], tmp_path: Path) -> None:
    (tmp_path / "own.txt").write_text(OWN, encoding="utf-8")
    given = ["report", str(tmp_path / "own.txt"), "--model", str(tiny_folder("bert")), "--share", "0.05"]
    assert main([*given, "--out", str(tmp_path / "bare.html")]) == 0
    assert main([*given, "--quote", "--out", str(tmp_path / "whole.html")]) == 0
    bare, whole = (seen((tmp_path / name).read_bytes()) for name in ("bare.html", "whole.html"))
    shown = " ".join(OWN.replace("\u202e", "\N{REPLACEMENT CHARACTER}").split())
    assert shown in whole.words and "Every boat in the harbour" not in bare.words
    assert "script" not in {tag for tag, _ in whole.tags}


def test_the_folder_of_a_text_says_what_the_text_itself_does(
    folders: dict[str, Path], tiny_folder: Callable[[str], Path]
) -> None:
    analysis = analyze(OWN, ModelSpec(str(tiny_folder("bert"))), Settings(share=0.05))
    of_folder, of_analysis = report_of_folder(folders["analyze"], quote=False), of_text(analysis, None)
    for heading in ("In short", "Tables"):
        assert part(of_folder, heading) == part(of_analysis, heading), heading
    layers, heads = part(of_folder, "Tables").tables
    assert [row[0] for row in layers.rows] == ["1", "2", "3", "by chance"]
    assert all(anchor for _, _, anchor, *_ in heads.rows[:-1])
    titles = [
        [one.title for one in part(report, "Layer by layer, head by head").figures]
        for report in (of_folder, of_analysis)
    ]
    assert titles[0] == titles[1] and len(titles[0]) > 5


def part(report: Report, heading: str) -> Section:
    return next(section for section in report.sections if section.heading == heading)


@pytest.mark.parametrize(
    ("settings", "unit"),
    [
        (Settings(), "tokens"),
        (Settings("cosine", 0.05, with_special=False), "tokens"),
        (Settings("centred", 0.03), "words"),
    ],
)
@pytest.mark.parametrize(("twin", "layout"), [(None, "plain"), (("permuted", 0), "separated"), (None, "shuffled")])
def test_the_command_of_a_text_asks_for_its_model_and_settings(
    tiny_folder: Callable[[str], Path], settings: Settings, unit: Unit, twin: tuple[Twin, int] | None, layout: str
) -> None:
    spec = ModelSpec(str(tiny_folder("bert")), twin=twin)
    analysis: Analysis = analyze(TEXT, spec, settings, layout=layout, unit=unit)
    first = commands.of_text(analysis.provenance).splitlines()[0]
    options = _parser().parse_args(shlex.split(first)[3:])
    assert under_control(options) == (replace(spec, name="bert"), layout)  # a folder by its own name
    assert (chosen_settings(options), options.unit) == (settings, unit)
    assert options.window == 1


@pytest.mark.parametrize(("twin", "tokens"), [(None, 512), (("untrained", 0), 128)])
def test_the_command_of_a_text_asks_for_stack_and_windows(
    twin: tuple[Twin, int] | None, tokens: int, tmp_path: Path
) -> None:
    folder = str(save_tiny(tmp_path / "t5", ENCODER_DECODERS["t5"]))
    spec = ModelSpec(folder, twin=twin, window_tokens=tokens, stack="cross")
    told = {
        "model": str(spec),
        "windows": "1",
        "language": "en",
        "layout": "plain",
        **asdict(Settings()),
        "unit": "tokens",
    }
    options = _parser().parse_args(shlex.split(commands.of_text(told).splitlines()[0])[3:])
    assert under_control(options) == (replace(spec, name="t5"), "plain")
    changed = {**told, **replace(spec, ablation=Removal((Head(0, 0),), "zero")).removed}
    assert commands.of_text(changed).startswith("# heads were removed")


@pytest.mark.long
def test_the_commands_of_corpora_ask_for_the_same_again(folders: dict[str, Path]) -> None:
    study, scores = open_study(folders["study"]), open_patterns(folders["patterns"])
    options = _parser().parse_args(shlex.split(commands.of_study(study.manifest).splitlines()[0])[3:])
    assert chosen_settings(options) == Settings(share=0.05)
    assert (options.texts, options.shard_characters) == ("corpus", study.manifest["settings"]["shard_characters"])
    options = _parser().parse_args(shlex.split(commands.of_patterns(scores.manifest).splitlines()[0])[3:])
    assert (options.rule, options.model) == (["same_word"], study.manifest["model"]["name"])
    ablation = open_ablation(folders["ablate"])
    options = _parser().parse_args(shlex.split(commands.of_ablation(ablation.manifest).splitlines()[0])[3:])
    assert (options.texts, options.curve, options.replace, options.labels) == ("corpus", True, "mean", None)
    compared = checked_provenance(folders["compare"])["subjects"]
    options = _parser().parse_args(shlex.split(commands.of_comparison(compared).splitlines()[0])[3:])
    model = study.manifest["model"]["name"]
    assert options.subjects[1] == f"{model}+untrained0+plain+dot+tokens"


def test_the_command_of_uploaded_texts_names_no_folder_that_nobody_has(folders: dict[str, Path]) -> None:
    manifest = open_study(folders["study"]).manifest
    uploaded = manifest["corpus"] | {"source": "/home/me/studies/uploaded texts/0123456789ab"}
    command = commands.of_study(manifest | {"corpus": uploaded})
    assert (
        command.startswith("python -m attn_core study TEXTS --")
        and "uploaded" not in command
        and "/home" not in command
    )


def test_the_command_of_a_comparison_asks_for_stacks_and_windows() -> None:
    spec = ModelSpec("org/t5", stack="decoder", window_tokens=128)
    asked = {"decoder": spec, "cross": replace(spec, stack="cross", twin=("untrained", 3))}
    told = {"layout": "plain", "text_sha256": "0" * 64, **asdict(Settings("centred", 0.03)), "unit": "tokens"}
    subjects = {name: {"model": str(one), **told} for name, one in asked.items()}
    options = _parser().parse_args(shlex.split(commands.of_comparison(subjects).splitlines()[0])[3:])
    assert options.subjects == ["org/t5+decoder+plain+centred+tokens", "org/t5+cross+untrained3+plain+centred+tokens"]
    assert (options.window_tokens, options.share) == (128, 0.03)
    assert options.with_special
    every = {name: {**one, "with_special": False} for name, one in subjects.items()}
    options = _parser().parse_args(shlex.split(commands.of_comparison(every).splitlines()[0])[3:])
    assert not options.with_special
    for other in ({"share": 0.01}, {"with_special": False}, {"model": str(replace(spec, window_tokens=64))}):
        mixed = {**subjects, "other": {**subjects["cross"], **other}}
        assert commands.of_comparison(mixed).startswith("# shares, special tokens or windows differ")
    changed = replace(spec, ablation=Removal((Head(0, 0),), "zero"))
    assert commands.of_comparison({**subjects, "other": {**told, **changed.removed}}) == commands.CHANGED


@pytest.mark.long
def test_marks_columns_and_statistics_are_explained_where_they_stand(folders: dict[str, Path]) -> None:
    """What a reader who never saw the program did not understand."""
    reports = {kind: report_of_folder(folders[kind], quote=False) for kind in ("compare", "patterns")}
    marks = " ".join(part(reports["compare"], "Layer by layer").told)
    assert "+untrained is its untrained twin" in marks and "+shuffled is the model reading" in marks
    of_relations = part(reports["patterns"], "In short")
    similar = open_patterns(folders["patterns"]).table("relations").query("map == 'centred' and pairs >= 5")
    seen_by_a_head = (similar["score_low"] > 0.5).sum()
    assert f"Of {len(similar)} relation with 5 pairs or more, {seen_by_a_head} " in of_relations.told[1]
    defined = [
        point.split("**")[1].lower() for point in part(reports["patterns"], "Method: what the words mean").points
    ]
    own = set(of_relations.tables[0].head) - {"relation", "pairs"}
    assert {name for name in own if "attention" not in name} <= {*defined}


def said(capsys: pytest.CaptureFixture[str], *given: str) -> str:
    """The one sentence that a command is refused with."""
    assert main(["report", *given]) == 2
    message = capsys.readouterr().err.strip()
    assert message.endswith(".") and "\n" not in message
    return message


def test_what_is_not_ours_is_never_overwritten(folders: dict[str, Path], tmp_path: Path, capsys) -> None:
    out, source = tmp_path / "report.html", str(folders["study"])
    out.write_text("my thesis")
    assert "another file" in said(capsys, source, "--out", str(out))
    assert out.read_text() == "my thesis"
    out.write_text("")
    assert main(["report", source, "--out", str(out)]) == 0
    first = out.read_bytes()
    assert main(["report", source, "--out", str(out)]) == 0
    assert out.read_bytes() == first
    edited = first.replace(b"Limits", b"Limits, as I see them")
    out.write_bytes(edited)
    assert "was changed since" in said(capsys, source, "--out", str(out))
    assert out.read_bytes() == edited
    assert "is a folder" in said(capsys, source, "--out", str(tmp_path))


def test_bad_input_gets_one_sentence(folders: dict[str, Path], tmp_path: Path, capsys) -> None:
    out = str(tmp_path / "report.html")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "provenance.json").write_text("[]")
    assert "holds nothing that a report is made of" in said(capsys, str(tmp_path / "mine"), "--out", out)
    assert "leave --measure out" in said(capsys, str(folders["study"]), "--measure", "cosine", "--out", out)
    assert "leave --stack out" in said(capsys, str(folders["study"]), "--stack", "cross", "--out", out)
    assert "leave --window-tokens out" in said(capsys, str(folders["study"]), "--window-tokens", "64", "--out", out)
    assert not Path(out).exists()


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_that_is_altered_damaged_or_missing_is_no_part_of_a_report(
    kind: str, folders: dict[str, Path], tmp_path: Path
) -> None:
    """Each file in turn, though most are in no report: all or none of a folder is believed."""
    whole = Path(shutil.copytree(folders[kind], tmp_path / "whole"))
    tables = whole if kind in ("analyze", "compare") else whole / "tables"
    for file in sorted(tables.iterdir()):
        if kind in ("analyze", "compare") and file.name == "provenance.json":
            continue  # it proves the others
        kept = file.read_bytes()
        for damaged in (kept[:-1] + bytes([kept[-1] ^ 1]), kept[: len(kept) // 2], b"\xff\xfe", b"", None):
            file.unlink() if damaged is None else file.write_bytes(damaged)
            if damaged is None and file.name == "provenance.json":
                continue
            with pytest.raises(InputError, match=re.escape(file.name) if kind in ("analyze", "compare") else None):
                report_of_folder(whole, quote=False)
        file.write_bytes(kept)
    assert report_of_folder(whole, quote=False)


def test_tables_of_an_earlier_version_are_told(folders: dict[str, Path], tmp_path: Path) -> None:
    tables = {file.name: file.read_bytes() for file in folders["analyze"].iterdir()}
    del tables["kinds.parquet"]
    write_tables(tables, tmp_path)
    with pytest.raises(InputError, match=r"has no kinds.parquet"):
        report_of_folder(tmp_path, quote=False)


def test_the_mark_of_a_report_holds_its_digest() -> None:
    assert sha256(b"<p>").hexdigest().encode() in marked(b"<p>")


def test_the_citation_is_that_of_the_file(tmp_path: Path) -> None:
    told = " ".join((ROOT / "CITATION.cff").read_text("utf-8").split())
    for part_of_it in (PROGRAM, AUTHORS, PAPER, JOURNAL, str(VOLUME), str(YEAR), ADDRESS, *NAMES):
        assert part_of_it in told
