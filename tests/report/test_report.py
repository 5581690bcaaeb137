"""A report is one file that needs no other, says what the tables say, and quotes nothing unasked."""

import json
import re
import shlex
import shutil
from base64 import b64decode
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest

import attn_core
from attn_core.__main__ import _parser, main
from attn_core.charts.catalogue import EVERY_SETTING, draw_figure, reported
from attn_core.errors import InputError
from attn_core.io.exports import write_tables
from attn_core.models.files import ModelSpec
from attn_core.report.document import Figure, Report, Section, Table, html, write_report
from attn_core.report.of_tables import of_folder, parts_of
from attn_core.runs.results import open_run
from attn_core.study.opened import Study
from attn_core.study.settings import distinct
from tests.families import TEXT, Folder, Tiny
from tests.fixtures import Refused
from tests.places import assert_no_places
from tests.quick import quick_only
from tests.study.made_up import write_corpus, write_texts

HOSTILE = "<img src=x onerror=alert(1)> </svg><script>alert(2)</script> & **bold** \u202eback."
OWN = f"{TEXT} {HOSTILE} {TEXT}"
Made = Callable[[str], Report]
SAMPLE = Path(attn_core.__file__).parent / "study" / "sample" / "minilm-on-sample-texts"
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
def folders(tiny: ModelSpec, tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """What the commands write, by the command."""
    out, model = tmp_path_factory.mktemp("reported"), tiny.name
    (out / "own.txt").write_text(OWN, encoding="utf-8")
    corpus = write_corpus(out / "corpus")
    (corpus / "hostile.txt").write_text(OWN, encoding="utf-8")
    given: dict[str, list[str]] = {
        "analyze": ["analyze", str(out / "own.txt"), "--model", model, "--share", "0.05", "--out"],
        "study": ["study", str(corpus), "--model", model, "--share", "0.05", "--rule", "same_word", "--out"],
        "compare": ["compare", model, f"{model}+untrained", "--text", str(out / "own.txt"), "--out"],
        "ablate": ["ablate", str(corpus), "--curve", "--model", model, "--out"],
    }

    @cache
    def written(name: str) -> Path:
        """Made when it is first asked for."""
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):  # no words among those of the test that asks
            assert main([*given[name], str(out / name)]) == 0
        return out / name

    return written


@pytest.fixture(scope="module")
def report(folders: Folder) -> Made:
    """The report of what a command has written, drawn once."""
    return cache(lambda kind: of_folder(folders(kind)))


KINDS = quick_only(("analyze", "study", "compare", "ablate"), "analyze")


@pytest.mark.parametrize("kind", KINDS)
def test_a_report_needs_no_other_file_and_runs_nothing(report: Made, kind: str) -> None:
    page = html(report(kind))
    assert b"<script" not in page and b"@import" not in page and b"url(" not in page
    found = seen(page)
    for tag, attributes in found.tags:
        assert tag not in ("script", "link", "iframe", "object", "embed", "base", "form")
        assert not [name for name in attributes if name.startswith("on")]
        for name, value in attributes.items():
            assert name not in LOADED or value.startswith("data:image/svg+xml;base64,")
            assert name != "href" or value.startswith("#")
    pictures = [attributes for tag, attributes in found.tags if tag == "img"]
    assert pictures
    for picture in pictures:
        assert len(picture["alt"]) > 20
        drawn = b64decode(picture["src"].split(",", 1)[1]).decode()
        assert "<script" not in drawn and "<image" not in drawn
        assert {*re.findall(r"https?://[^\"' <]+", drawn)} <= {
            "http://www.w3.org/2000/svg",
            "http://www.w3.org/1999/xlink",
        }


@pytest.mark.parametrize("kind", KINDS)
def test_a_report_says_where_its_numbers_come_from_with_the_command_and_quotes_no_text(report: Made, kind: str) -> None:
    """Four words of the text in a row; a single token, such as an anchor, is no quotation."""
    words, of_text = seen(html(report(kind))).words, kind in ("analyze", "compare")
    for said in (
        "Figure 1.",
        "Tables",
        "What the words mean",
        "The command",
        f"{'text' if of_text else 'corpus'} sha256",
    ):
        assert said in words
    (command,) = (section.code for section in report(kind).sections if section.heading == "The command")
    options = _parser().parse_args(shlex.split(command)[3:])
    assert shlex.split(command)[3] == kind and options.out == Path(kind)
    assert not of_text or sha256(OWN.encode()).hexdigest() in words
    quotations = {" ".join(OWN.split()[at : at + 4]) for at in range(len(OWN.split()) - 3)}
    assert not [one for one in quotations if one in words]


@pytest.mark.long
def test_the_claims_figures_and_tables_of_a_study_stand_in_its_report(folders: Folder, report: Made) -> None:
    study = Study.open(folders("study"))
    sections = {section.heading: section for section in report("study").sections}
    figures = sections["Figures"]
    (claims,) = figures.tables
    known = study.of().claims
    assert [row[2] for row in claims.rows] == known["verdict"].tolist()
    assert figures.figures[0].title.startswith("The claims") and len(figures.figures) > 8
    tables = {table.title: table for table in sections["Tables"].tables}
    layers = study.of().layers
    first = layers.iloc[0]
    low, high, chance = (
        f"{first[f'{name}']:.1f}" for name in ("mean_distance_low", "mean_distance_high", "chance_mean_distance")
    )
    interval = "" if pd.isna(first["mean_distance_low"]) else f" [{low}, {high}]"
    assert tables["layers"].rows[0][1] == f"{first['mean_distance']:.1f}{interval} ({chance})"
    assert len(tables["heads"].rows) == len(study.of().heads)
    meant = {row[0]: row[1] for row in sections["What the words mean"].tables[1].rows}
    assert meant["repeated tokens"].startswith("Up to three tokens")


def test_a_study_of_every_setting_has_the_specification_curve_of_each_claim() -> None:
    study = Study.open(SAMPLE)
    (every,) = (part for part in parts_of(study, ["claims"]) if part.kind == EVERY_SETTING)
    figures = (draw_figure(name, every, *more, **given) for name, more, given in reported(every))
    drawn = {one.name: one.chart for one in figures}
    assert [*drawn] == [f"specification-{effect}" for effect in study.claims["effect"].unique()]
    rows = distinct(every["claims"], "reach").dropna(subset="value")
    assert len(rows) == 30 and f"{len(rows)} settings" in str(drawn["specification-reach"].to_dict())


@pytest.mark.long
def test_the_report_of_a_training_has_its_last_step_and_how_it_came_about(tiny: ModelSpec, tmp_path: Path) -> None:
    for step in (1, 20):
        shutil.copytree(tiny.name, tmp_path / "run" / f"checkpoint-{step}")
    given = ["study", str(write_corpus(tmp_path / "corpus")), "--checkpoints", str(tmp_path / "run"), "--workers", "1"]
    assert main([*given, "--out", str(tmp_path / "out")]) == 0
    sections = {section.heading: section for section in of_folder(tmp_path / "out").sections}
    steps = next(section for heading, section in sections.items() if heading.endswith(", all steps"))
    assert [figure.title[:8] for figure in steps.figures] == ["Mean dis", "Distance"]
    titles = [table.title for table in sections["Tables"].tables]
    assert "subjects" in titles and titles.count("run, step 20: heads") == 1
    assert sections["The command"].code.endswith("--checkpoints run --workers 1 --out out")


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_that_is_handed_on_says_where_it_was_made(folders: Folder, report: Made, kind: str) -> None:
    """No path of this machine and no name of its user: in the report, and in every file of an export."""
    folder = folders(kind)
    tables = folder / "tables" if kind in ("study", "ablate") else folder
    files = {file.name: file.read_bytes() for file in tables.iterdir()}
    if made := open_run(folder):
        files |= made.files()
    files["report.html"] = html(report(kind))
    assert_no_places(files, folder.parent)
    if kind == "study":
        assert json.loads(files["manifest.json"])["argv"][:4] == ["study", "corpus", "--model", "bert"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_command_gives_the_same_bytes_again(folders: Folder, report: Made, kind: str, tmp_path: Path) -> None:
    assert main(["report", str(folders(kind)), "--out", str(tmp_path / "again.html")]) == 0
    assert (tmp_path / "again.html").read_bytes() == html(report(kind))


def test_the_report_of_a_text_names_its_model_begins_with_the_map_of_heads_and_has_the_copies(
    tiny: ModelSpec, tmp_path: Path
) -> None:
    text, out = tmp_path / "tide.txt", tmp_path / "report.html"
    text.write_text(TEXT, encoding="utf-8")
    assert main(["report", str(text), "--model", tiny.name, "--out", str(out)]) == 0
    page = seen(out.read_bytes())
    described = [given["alt"] for tag, given in page.tags if tag == "img"]
    assert "tide.txt, read by bert" in page.words
    assert described[0].startswith("The role of every head. ")
    assert [one for one in described if "untrained copy" in one and "shuffled weights" in one]


def test_no_field_of_a_report_can_bring_a_tag() -> None:
    table = Table(HOSTILE, (HOSTILE,), ((HOSTILE,),))
    figure = Figure(HOSTILE, HOSTILE + '" onerror="alert(3)', "<svg></svg>")
    section = Section(HOSTILE, (HOSTILE,), (figure,), (table,), HOSTILE)
    found = seen(html(Report(HOSTILE, (section,))))
    assert not {"script", "svg"} & {tag for tag, _ in found.tags}
    images = [attributes for tag, attributes in found.tags if tag == "img"]
    assert [{*attributes} for attributes in images] == [{"src", "alt"}]
    assert "\u202e" not in found.words and found.words.count("<script>alert(2)</script>") >= 7


def test_a_notebook_shows_what_was_read_the_map_of_heads_and_the_tables_by_name(tiny_model: Tiny) -> None:
    analysis, study = attn_core.analyze(HOSTILE + OWN, tiny_model("bert")), Study.open(SAMPLE)
    stored = {name.removesuffix(".parquet") for name in study.stored if name.endswith(".parquet")}
    for one, read, tables in (
        (analysis, HOSTILE[:65], analysis.tables().keys()),
        (study, "11 texts in 20 windows", stored),
        (analysis.reading.model, "3 layers x 4 heads", set[str]()),
        (analysis.explain("L1H2", 1, 2, window=1), "have a similarity of", set[str]()),
    ):
        found = seen(one._repr_html_().encode())
        assert read in found.words and tables <= {*found.text}
        assert {tag for tag, _ in found.tags} <= {"p", "strong", "img", "table", "thead", "tbody", "tr", "th", "td"}
        pictures = [attributes["alt"] for tag, attributes in found.tags if tag == "img"]
        assert [picture[:9] for picture in pictures] == ["The role "] * bool(tables)


def test_what_is_not_ours_is_never_overwritten(folders: Folder, report: Made, tmp_path: Path, refused: Refused) -> None:
    out, source, page = tmp_path / "report.html", folders("analyze"), html(report("analyze"))
    out.write_text("my thesis")
    assert "another file" in refused("report", source, "--out", out)
    assert out.read_text() == "my thesis"
    out.write_text("")
    for _ in range(2):
        write_report(page, out)
        assert out.read_bytes() == page
    assert "is a folder" in refused("report", source, "--out", tmp_path)


def test_bad_input_gets_one_sentence(folders: Folder, tmp_path: Path, refused: Refused) -> None:
    out, mine = tmp_path / "report.html", tmp_path / "mine"
    write_texts(mine, {"provenance.json": "[]"})
    assert "holds nothing that a report is made of" in refused("report", mine, "--out", out)
    for option, value in (("--measure", "cosine"), ("--stack", "cross"), ("--window-tokens", "64")):
        assert f"leave {option} out" in refused("report", folders("study"), option, value, "--out", out)
    assert not out.exists()


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_that_is_altered_damaged_or_missing_is_no_part_of_a_report(
    kind: str, folders: Folder, tmp_path: Path
) -> None:
    """Each file in turn, though most are in no report: all or none of a folder is believed."""
    whole = Path(shutil.copytree(folders(kind), tmp_path / "whole"))
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
                of_folder(whole)
        file.write_bytes(kept)


@pytest.mark.parametrize(
    "facts",
    [
        *({"files": files} for files in (["heads.parquet"], {"heads.parquet": 3}, {})),
        *({"files": {outside: "0"}} for outside in ("../heads.parquet", "/etc/hostname")),
        {"subjects": 5},
        {"argv": [1, None]},
    ],
    ids=str,
)
def test_a_hostile_provenance_is_refused_in_one_sentence(
    facts: dict[str, object], folders: Folder, tmp_path: Path
) -> None:
    whole = Path(shutil.copytree(folders("analyze"), tmp_path / "whole"))
    file = whole / "provenance.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | facts))
    with pytest.raises(InputError) as refused:
        of_folder(whole)
    assert "\n" not in str(refused.value) and str(whole) in str(refused.value)


def test_tables_of_an_earlier_version_are_told(folders: Folder, tmp_path: Path) -> None:
    tables = {file.name: file.read_bytes() for file in folders("analyze").iterdir()}
    del tables["kinds.parquet"]
    write_tables(tables, tmp_path)
    with pytest.raises(InputError, match=r"has no kinds.parquet"):
        of_folder(tmp_path)
