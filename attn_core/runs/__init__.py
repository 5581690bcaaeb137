"""One resumable run in a folder: studies and ablations.

    jobs --executors--> counted shards --folder--> Parquet, each with its checksum --the kind's own tables--> tables/

It may be killed at any moment and started again. Which texts a job reads and what it counts, each kind says itself.
"""
