"""The language server: what `initialize` needs is imported at once, what reads the index by the threads that do."""
