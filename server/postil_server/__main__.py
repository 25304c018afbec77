"""`python -m postil_server` is the `postil` command."""

from postil_server.cli import main

if __name__ == "__main__":  # the processes that read files import this module under another name
    main()
