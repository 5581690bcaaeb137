"""Studies: the tables of one text, over a whole corpus and several models.

    corpus --> Text --> Shard --worker, shard_tables--> sums per window and head --> Parquet shards
           --pooled--> the tables of one text, with 95 % intervals over texts

Start reading at `runner.run_study`. The measures are those of a single text; only sums of a window are kept, so that
a corpus of any size is pooled by addition.
"""
