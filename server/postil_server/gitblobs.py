"""What git calls the content of a file, reckoned from its bytes: no git is started for it.

`git status` would also run the filters that a repository's own configuration names.
"""

from __future__ import annotations

import hashlib
import os

from postil_indexers.opening import open_file, read_up_to
from postil_indexers.seen import Skip

_MOST_BYTES = 4 << 20  # a file beyond it is no text that anybody edits by hand
_KEPT = 8  # bytes of an id that the index has


def blob_starts(data: bytes) -> frozenset[bytes]:
    """The first bytes of the ids that git may give a content: as it is, and with the line ends that it checks in."""
    plain = data.replace(b"\r\n", b"\n")
    return frozenset(
        make(b"blob %d\0" % len(text) + text, usedforsecurity=False).digest()[:_KEPT]
        for text in {data, plain}
        for make in (hashlib.sha1, hashlib.sha256)
    )


def blobs_on_disk(root: str, path: str) -> frozenset[bytes]:
    """Those of a file as it stands in the tree; none where it is gone, a link or huge."""
    opened = open_file(root, path)
    if isinstance(opened, Skip):
        return frozenset()
    descriptor, status = opened
    try:
        return blob_starts(read_up_to(descriptor, _MOST_BYTES)) if status.st_size <= _MOST_BYTES else frozenset()
    except OSError:
        return frozenset()
    finally:
        os.close(descriptor)
