"""Whether the passages that an answer cites say what it says."""
