"""The same questions asked of a whole corpus.

    corpus --corpus--> Text --plan--> Shard --worker, shard_tables--> sums per window and head --folder--> Parquet shards
           --pooled--> the tables of one text, with 95 % intervals over texts

`runner.run_study` tells the way in one place. Every number comes from the measures that also serve one text; what is
kept of a window are sums, so that a corpus of any size is pooled by adding.
"""
