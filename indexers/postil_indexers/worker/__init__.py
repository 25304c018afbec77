"""The one process that writes an index, and how others talk to it."""
