"""Questions to the commit history: what their words ask for, and which commits that leaves."""
