"""What every column means: columns.toml, the statistics' own words, and both together as Markdown."""
