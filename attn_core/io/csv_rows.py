"""The rows of a CSV, and one sentence for a file whose rows would be others than those that were written."""

import csv
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from attn_core.errors import InputError, cause

SEPARATORS = ",;\t"  # spreadsheets write a semicolon where the comma is that of decimals
QUOTED = re.compile(r'"(?:[^"]|"")*+"')


class CsvRows:
    """The rows of a table, cells of any length among them; `names` are those of its columns.

    called: what messages call the file. written: how it is written, as `csv.reader` takes it; the separator, where none is
    named, is what the header has most of. Raises InputError, when it is
    made or as the rows are read, for a column that is named twice, for quotes that do not match (one left open takes all
    rows below into its cell), and for a row with more cells than there are columns.
    """

    def __init__(self, lines: Iterable[str], called: str, **written: Any) -> None:
        csv.field_size_limit(min(sys.maxsize, 2**31 - 1))  # of the whole process, else 131,072 characters
        self._called = called
        rest = iter(lines)
        header = next(rest, "")
        self._separator = written.pop("delimiter", None) or max(SEPARATORS, key=QUOTED.sub("", header).count)
        lines = self._noted(chain([header], rest) if header else rest)
        self._reader = csv.reader(lines, strict=True, delimiter=self._separator, **written)
        self._row, self._lines_of_row = 0, list[str]()  # the header is row 1, as in a spreadsheet
        self.names: list[str] = []
        self.names = self._next() or []
        if twice := [name for name, times in Counter(self.names).items() if name and times > 1]:
            columns = [at for at, name in enumerate(self.names, 1) if name == twice[0]]
            raise InputError(
                f"{called} has two columns {twice[0]!r} (row 1, columns {columns[0]} and {columns[1]}): rename one of them."
            )

    def __iter__(self) -> Iterator[tuple[int, Mapping[str, str | None]]]:
        """The number of the line where a row ends, and its cells by column, None where it has too few; no blank rows."""
        while (cells := self._next()) is not None:
            if any(cells[len(self.names) :]):
                raise InputError(
                    f"{self._called} has {len(cells)} cells in row {self._row} (line {self._reader.line_num}) and "
                    f"{len(self.names)} columns: a cell with the separator in it must stand in quotes."
                )
            if cells:
                yield self._reader.line_num, dict.fromkeys(self.names) | dict(zip(self.names, cells, strict=False))

    def _next(self) -> list[str] | None:
        """The cells of the next row, None behind the last."""
        self._row += 1
        self._lines_of_row.clear()
        first = self._reader.line_num + 1
        try:
            return next(self._reader, None)
        except csv.Error as error:
            raise InputError(
                f"{self._called} cannot be read as a table ({cause(error)}): mend row {self._row}{self._column()}, line {first}."
            ) from None

    def _noted(self, lines: Iterable[str]) -> Iterator[str]:
        for line in lines:
            self._lines_of_row.append(line)
            yield line

    def _column(self) -> str:
        """Where in this row quotes do not match, in words; nothing where that is not what is wrong."""
        row, start, column = "".join(self._lines_of_row), 0, 0
        whole_cell = re.compile(rf'(?:{QUOTED.pattern}|[^"{self._separator}][^{self._separator}]*|){self._separator}')
        while whole := whole_cell.match(row, start):
            start, column = whole.end(), column + 1
        if row[start : start + 1] != '"':
            return ""
        name = repr(self.names[column]) if column < len(self.names) else column + 1
        return f", column {name}, whose quotes do not match"
