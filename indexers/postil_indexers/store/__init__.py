"""The index file: all SQL lives in this package."""
