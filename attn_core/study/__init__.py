"""Studies: the tables of one text, over a whole corpus and several models.

    corpus --> Text --> Shard --worker, shard_tables--> sums per window and head --> Parquet shards
           --pooled--> the tables of one text, with 95 % intervals over texts

`runner.run_study` shows the whole way. The measures are those of one text; of a window only sums are kept, so that a
corpus of any size is pooled by adding.
"""
