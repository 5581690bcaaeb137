"""What the dictionary says of a column by its name."""

from attn_core.columns.dictionary import Column, Source, Table, tables

BOUNDS = ("_low", "_high")


def described(table: Table, name: str) -> Column | None:
    """What a column is, of a chance level or a bound that of which it is; None where nothing is said of it."""
    if found := next((column for column in table.columns if column.name == name), None):
        return found
    if name.startswith("chance_"):
        of = described(table, name.removeprefix("chance_"))
        return of if of and of.chance else None
    return next((described(table, name.removesuffix(bound)) for bound in BOUNDS if name.endswith(bound)), None)


def table_of(name: str, source: Source) -> Table:
    """The table of that name. Raises ValueError where columns.toml has none."""
    (found,) = (table for table in tables() if table.name == name and source in table.sources)
    return found
