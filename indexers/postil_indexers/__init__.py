"""Workspace -> index: files, chunks, vectors and commits in one SQLite file."""

__version__ = "0.1.0"
