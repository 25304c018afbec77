"""Starting the server on the streams of this process, or on a port of this machine for debugging."""

from __future__ import annotations

import gc
import os
import socket
import sys
from typing import BinaryIO, NoReturn

from postil_indexers.errors import PostilError
from postil_server.lsp.beginning import Beginning
from postil_server.lsp.logs import start_log


def serve(tcp: int | None = None) -> NoReturn:
    """Converse with one client over standard input and output, or over a loopback port; ends the process.

    Raises PostilError for a port that can't be had.
    """
    start_log()
    if tcp is None:
        status = _converse(*_standard_streams())
    else:
        with _listening(tcp) as listening:
            print(f"listening on 127.0.0.1:{listening.getsockname()[1]}", file=sys.stderr, flush=True)
            connection, _ = listening.accept()
        with connection, connection.makefile("rb") as reader, connection.makefile("wb") as writer:
            status = _converse(reader, writer)
    sys.stderr.flush()
    os._exit(status)  # a thread may still read the index, or the client's stream; nothing of ours is left to write


def _converse(reader: BinaryIO, writer: BinaryIO) -> int:
    beginning = Beginning(reader)
    gc.disable()  # nothing of what is imported is garbage: an eighth of the time would go into looking for some
    from postil_server.lsp.server import make_server  # most of what an editor waits for

    server = make_server(beginning.attach)
    gc.freeze()
    gc.enable()
    return server.serve(beginning.messages(), writer)


def _listening(port: int) -> socket.socket:
    try:
        return socket.create_server(("127.0.0.1", port))
    except OSError as error:
        raise PostilError(
            f"port {port} of this machine can't be listened on: {error.strerror}", "give another, or 0 for a free one"
        ) from error


def _standard_streams() -> tuple[BinaryIO, BinaryIO]:
    """The client's streams, for the protocol alone: what else is printed goes to standard error."""
    reader, writer = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return reader, writer
