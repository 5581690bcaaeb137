"""The tables of small runs are those that were written down: where a change of theirs is meant, `make golden`."""

import pandas as pd
import pytest

from tests.golden import FOLDER, difference, golden_tables, read, rounded

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def tables() -> dict[str, pd.DataFrame]:
    """As they are now, rounded as those are that were written."""
    return {name: read(rounded(table)) for name, table in golden_tables()}


@pytest.mark.parametrize("name", sorted(file.stem for file in FOLDER.glob("*.csv")))
def test_a_table_is_as_it_was(name: str, tables: dict[str, pd.DataFrame]) -> None:
    assert difference(tables[name], pd.read_csv(FOLDER / f"{name}.csv")) == ""


def test_all_of_them_are_written_and_small(tables: dict[str, pd.DataFrame]) -> None:
    assert tables.keys() == {file.stem for file in FOLDER.glob("*.csv")}
    assert sum(file.stat().st_size for file in FOLDER.iterdir()) < 200_000
