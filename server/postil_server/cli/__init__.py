"""The command line: one JSON contract for programs, readable text for people."""

import os
import sys

_AS_EDITORS_START_IT = (["serve"], ["serve", "--stdio"])
_ATTACHED = ["worker", "--attached"]  # as a server starts it, for whoever waits for the first hover


def main() -> None:
    """Entry point of the console script."""
    # The processes that read files import this module as well: what they don't need is imported here, half a second
    # of each. Threads of BLAS would wait for a core in a loop, beside those processes; no product here is large.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if sys.argv[1:] in _AS_EDITORS_START_IT:  # an editor waits: nothing of the command line is needed
        from postil_server.lsp.launch import serve

        serve()
    if sys.argv[1:3] == _ATTACHED and len(sys.argv) == 4:
        from postil_server.ahead import load_rules

        load_rules(sys.argv[3])
        from postil_server.keeping import keep_attached

        sys.exit(keep_attached(sys.argv[3]))
    if sys.argv[1:2] == ["index"]:
        from postil_server.cli.beforehand import begin_loading

        begin_loading(sys.argv[2:])
    from postil_server.cli.commands import run

    run()
