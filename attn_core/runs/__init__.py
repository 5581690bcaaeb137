"""One resumable run in a folder: studies and ablations.

    jobs --executor--> counted shards --folder--> Parquet with SHA-256 --> tables/

A run may be killed at any moment and started again.
"""
