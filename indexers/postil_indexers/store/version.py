"""The number of an index's tables, by itself: what only names the files of an index imports no tables with it."""

SCHEMA = 8
