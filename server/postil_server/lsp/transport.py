"""Messages as bytes: read by a thread of their own from a stream, written to another."""

from __future__ import annotations

import threading
from typing import BinaryIO

_LARGEST = 1 << 28  # bytes of a message; what says it is longer is no client of ours
_HEADER_BYTES = 1 << 13  # of one header line


def read_message(stream: BinaryIO) -> bytes | None:
    """The body of the next message; None at the end of the stream."""
    length = 0
    while line := stream.readline(_HEADER_BYTES):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length" and value.strip().isdigit():
            length = int(value)
        elif not line.strip() and 0 < length <= _LARGEST:
            body = stream.read(length)
            return body if len(body) == length else None
        elif length > _LARGEST:
            return None
    return None


class Writer:
    """What pygls writes to. A client that is gone is not an error: the end of its stream ends the server."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lock = threading.Lock()

    def write(self, data: bytes) -> None:
        with self._lock:
            try:
                self._stream.write(data)
                self._stream.flush()
            except (OSError, ValueError):
                return

    def close(self) -> None:
        with self._lock:
            try:
                self._stream.close()
            except OSError:
                return
