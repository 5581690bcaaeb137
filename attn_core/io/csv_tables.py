"""CSV tables of users, read by pandas, whose message names the row that cannot be read."""

from collections.abc import Iterator
from typing import IO, Any

import pandas as pd

from attn_core.errors import InputError

SEPARATORS = ",;\t|^~"  # spreadsheets write a semicolon where the comma is that of decimals
ROWS = 64  # read at a time


def read_csv(file: IO[Any], called: str, **how: Any) -> Iterator[pd.DataFrame]:
    """The rows of a table as strings, some at a time, counted from 0; "" where a row has too few cells.

    called: what messages call the file. how: options of `pandas.read_csv`. Raises InputError for what is no table.
    """
    try:
        with pd.read_csv(file, dtype=object, keep_default_na=False, chunksize=ROWS, **how) as tables:
            for rows in tables:
                if not isinstance(rows.index, pd.RangeIndex):  # pandas takes cells without a column for names of rows
                    raise InputError(
                        f"{called} has more cells in a row than columns: put cells with separators in quotes."
                    )
                yield rows
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeEncodeError) as error:
        why = str(error).rpartition("C error: ")[2].strip()
        raise InputError(f"{called} cannot be read as a table ({why}): mend it there.") from None


def separator(header: str) -> str:
    """What a header has most of."""
    return max(SEPARATORS, key=header.count)
