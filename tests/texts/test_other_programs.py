"""Documents of other programs at every door that takes texts: refused by one sentence that says how to make a text of them."""

from collections.abc import Callable
from pathlib import Path

import pytest

import attn_core
from attn_core.__main__ import _parser
from attn_core.errors import TextError
from attn_core.study.corpus import Corpus, Documents
from attn_core.texts.documents import decode, read_file
from tests.made_up_documents import OF_PROGRAMS


def in_python(file: Path) -> None:
    decode(file.read_bytes(), file.name)


def in_a_command(*arguments: str) -> Callable[[Path], None]:
    """A command that raises what it would print."""

    def command(file: Path) -> None:
        options = _parser().parse_args([each.format(file=file, out=file.with_name("out")) for each in arguments])
        options.run(options)

    return command


def of_a_corpus(documents: Documents) -> Callable[[Path], None]:
    def corpus(file: Path) -> None:
        renamed = file.rename(file.with_suffix(".txt"))
        for text in Corpus(str(renamed), documents=documents).texts():
            raise TextError(text.problem)

    return corpus


DOORS = {
    "read_file": read_file,
    "decode": in_python,
    "analyze": in_a_command("analyze", "{file}", "--out", "{out}"),
    "segment": in_a_command("segment", "{file}"),
    "keywords": in_a_command("keywords", "{file}"),
    "study": in_a_command("study", "{file}", "--out", "{out}"),
    "a folder": lambda file: Corpus(str(file.parent)).files,
    "a corpus of files": of_a_corpus("file"),
    "a corpus of lines": of_a_corpus("line"),
    "a corpus of blocks": of_a_corpus("blank-line"),
    "a table": lambda file: Corpus(str(file.rename(file.with_suffix(".csv")))).check(),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(("kind", "data", "says"), OF_PROGRAMS, ids=[kind for kind, *_ in OF_PROGRAMS])
def test_a_document_of_another_program_is_refused_with_how_it_becomes_a_text(
    door: str, kind: str, data: bytes, says: str, tmp_path: Path
) -> None:
    file = tmp_path / f"report.{kind.split()[0]}"
    file.write_bytes(data)
    with pytest.raises(attn_core.InputError, match=says) as caught:
        DOORS[door](file)
    assert "\n" not in str(caught.value)
