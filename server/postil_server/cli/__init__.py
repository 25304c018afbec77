"""The command line: one JSON contract for programs, readable text for people."""

from postil_server.cli.main import main

__all__ = ["main"]
