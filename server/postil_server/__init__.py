"""Index -> answers: search, related notes and history, on the command line and in editors."""
