"""The command line: one JSON contract for programs, readable text for people."""

import os


def main() -> None:
    """Entry point of the console script."""
    # The processes that read files import this module as well: what they don't need is imported here, half a second
    # of each. Threads of BLAS would wait for a core in a loop, beside those processes; no product here is large.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from postil_server.cli.commands import run

    run()
